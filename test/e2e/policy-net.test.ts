/**
 * Commands that the policy allows do no harm when the real bash runs them: a short version of `npm run fuzz:policy`. Nothing here
 * depends on time or chance: the commands come from a seed.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seeded } from '../../bench/policy-rewrite.js'
import type { FileSystem } from '../../src/policy/file/file-system.js'
import { ATTACKS } from '../support/attack-command.js'
import { CORPUS, newTally, type Place, runRounds } from '../support/range/differential.js'
import { insertionsInto } from '../support/range/insertion.js'
import { JailedRange } from '../support/range/jailed-range.js'
import { type Judge, judgeFor } from '../support/range/judge.js'
import { Range, whyNoRange } from '../support/range/range.js'
import { SCENES, type Scene } from '../support/range/root.js'

const why = whyNoRange()
if (why !== null) process.stderr.write(`The nets of the policy are skipped: ${why}.\n`)

describe.skipIf(why !== null)(`the nets of the policy${why === null ? '' : ` (skipped: ${why})`}`, () => {
  let places: Place[] = []
  beforeAll(() => {
    places = SCENES.map((scene) => {
      const range = new Range(scene)
      return { range, judge: judgeFor(range) }
    })
  })
  const placeOf = (scene: Scene) => places[SCENES.indexOf(scene)] as Place
  afterAll(() => Promise.all(places.map(({ range }) => range.close())))

  test.each(SCENES)(
    'a command put into an allowed one is not allowed where bash would run it: %s',
    async (scene) => {
      const { range, judge } = placeOf(scene)
      const random = seeded(1)
      const tried = CORPUS.filter(() => random() < 0.2)
        .filter(judge)
        .flatMap(insertionsInto)
        .filter(() => random() < 0.03)

      const found = await range.run(tried.filter(judge))

      expect(tried.length).toBeGreaterThan(800)
      expect([...found]).toEqual([])
    },
  )

  test('generated commands that are allowed do no harm', async () => {
    const tally = newTally(1)

    await runRounds(tally, places, { seen: new Set(), isOver: () => tally.rounds >= 3 })

    expect(tally.executed).toBeGreaterThan(150)
    expect(tally.harmful).toEqual([])
  })

  test.each<[string, (command: string) => string]>([
    ['a file that sed writes', (command) => command.replace(/[;1]?w out/, '')],
    ['a list of find that goes to a file', (command) => command.replace(/ -fprint0? out/, '')],
    ['the output of sort', (command) => command.replace(/ (?:-o ?|--output=)out/, '')],
    ['the environment of jq', (command) => command.replace(/\$ENV|\benv\b/, '.')],
  ])('a checker that overlooks %s is caught', async (_, withoutIt) => {
    const { range, judge } = placeOf('plain')
    // Commands that the checker allows anyway are run above.
    const holed: Judge = (command) => {
      const seen = withoutIt(command)
      return seen !== command && judge(seen) && !judge(command)
    }
    const tally = newTally(3)
    const isOver = () => tally.harmful.length > 0 || tally.rounds >= 1_000

    await runRounds(tally, [{ range, judge: holed }], { seen: new Set(), isOver })

    expect(tally.harmful).not.toEqual([])
  })

  const seen = (change: (fs: FileSystem) => Partial<FileSystem>) => (range: Range) =>
    judgeFor(range, (fs) => ({ ...fs, ...change(fs) }))
  const without =
    (part: RegExp, other = '') =>
    (range: Range): Judge => {
      const judge = judgeFor(range)
      return (command) => part.test(command) && judge(command.replace(part, other))
    }

  test.each<[string, (range: Range) => Judge]>([
    ['names that are not UTF-8', seen(() => ({ unseen: () => null }))],
    [
      'a repository whose objects lie elsewhere',
      seen((fs) => ({
        list: (path) => fs.list(path)?.filter((name) => !(name === 'HEAD' && path.endsWith('/bare'))) ?? null,
      })),
    ],
    ['lines of an ignore file', seen(() => ({ negations: () => null }))],
    [
      'what git has stored',
      seen((fs) => ({
        repository: (path) => {
          const found = fs.repository(path)
          return found && { ...found, guarded: [], history: () => 'clean', typesOf: () => [] }
        },
      })),
    ],
    ['a file that is named -', without(/ -$/, ' a.txt')],
    ['a file of arguments', without(/@arguments\.txt/, 'd')],
    ['what ugrep makes of a folder', without(/(?<=^grep (?:-n )?KEY ).*/, 'README.md')],
    ['what ugrep makes of a number', without(/(?<=grep )-\d+(?= )/, '-n')],
    ['a word behind a substitution', without(/#[^]*/)],
    ['the folder above', without(/\.(?:\?|\[\.\]|\*)(?=\/)/, '.')],
    ['the end of a here-document', without(/E touch[^\n]*\n/)],
    ['an operator that is not known', without(/\$\(cat operator\.txt\)/, 'x')],
  ])('a checker that overlooks %s is caught', async (_, holed) => {
    const { range, judge } = placeOf('trapped')
    const overlooking = holed(range as Range)
    const tally = newTally(7)
    const isOver = () => tally.harmful.length > 0 || tally.rounds >= 60
    const place = { range, judge: (command: string) => overlooking(command) && !judge(command) }

    await runRounds(tally, [place], { seen: new Set(), isOver })

    expect(tally.harmful).not.toEqual([])
  })

  describe('in the read-only jail', () => {
    let range: JailedRange
    beforeAll(() => {
      range = new JailedRange('trapped')
    })
    afterAll(() => range.close())

    test('generated commands that are allowed only there do no harm', async () => {
      const tally = newTally(5)
      const isOver = () => tally.rounds >= 1

      await runRounds(tally, [{ range, judge: range.judge }], { seen: new Set(), isOver })

      expect(tally.executed).toBeGreaterThan(30)
      expect(tally.harmful).toEqual([])
    })

    test('attacks do no harm, whatever the policy says', async () => {
      const found = await range.run(Object.values(ATTACKS).flat())
      expect([...found]).toEqual([])
    })
  })
})
