/** Generates commands, asks the policy, and runs in a range what it allows. */

import { type Random, seeded } from '../../../bench/policy-rewrite.js'
import { casesWith } from '../../../src/policy/program/judge-cases.js'
import { ATTACKS } from '../attack-command.js'
import { BENIGN } from '../benign/command.js'
import { cross, MUTATIONS } from '../grammar/mutate.js'
import { makeCommand } from '../grammar/shell.js'
import { ALLOWED } from '../shell-command.js'
import type { Judge } from './judge.js'
import type { Harm, Range } from './range.js'
import type { Scene } from './root.js'

export interface Tally {
  seed: number
  rounds: number
  generated: number
  allowed: number
  executed: number
  harmful: { scene: Scene; command: string; harm: Harm[] }[]
  /** How often each production of the grammar, and each mutation, was in a command that ran. */
  productions: Record<string, number>
  seconds: number
}

export function newTally(seed: number): Tally {
  return {
    seed,
    rounds: 0,
    generated: 0,
    allowed: 0,
    executed: 0,
    harmful: [],
    productions: {},
    seconds: 0,
  }
}

interface Candidate {
  command: string
  productions: ReadonlySet<string>
  isChanged: boolean
}

export const CORPUS: readonly string[] = [
  ...Object.values(BENIGN),
  ...Object.values(ALLOWED),
  casesWith('allow'),
  ...Object.values(ATTACKS),
].flat()
const MUTATION_NAMES = Object.keys(MUTATIONS)
const PER_ROUND = 400
/** Commands of the grammar are mostly alike: only this share of the allowed ones is run. */
const SHARE_OF_UNCHANGED = 0.12
const SHARE_OF_CHANGED = 0.7
/** Every production runs at least so often. */
export const RUNS_PER_PRODUCTION = 100

/** Ordinary forms that the proof does not know: they only run in the jail, and here only by chance. */
export const UNPROVEN: ReadonlySet<string> = new Set([
  'compound: assign and use',
  'compound: assign output',
  'compound: case',
  'compound: count up',
  'compound: cut a value',
  'compound: for output',
  'compound: while read',
  'compound: while read of a file',
  'filter: xargs of a reader',
  'find: run a reader',
  'jq: comment',
  'list: in the background',
  'reader: diff of substitutions',
  'redirection: closed errors',
  'sed: text',
  'substitution: backquotes',
  'substitution: bare',
  'substitution: operand',
  'substitution: process',
  'substitution: two processes',
])

export interface Place {
  range: Pick<Range, 'scene' | 'run' | 'close'>
  judge: Judge
}

/** Rounds until `isOver`: while commands of one round run, the next are made and judged. */
export async function runRounds(
  tally: Tally,
  places: readonly Place[],
  options: {
    seen: Set<string>
    isOver(): boolean
    onRound?(): void
    corpus?: readonly string[]
    make?: typeof makeCommand
  },
): Promise<void> {
  let running = Promise.resolve()
  while (!options.isOver()) {
    const start = performance.now()
    const random = seeded(Math.imul(tally.seed, 2_654_435_761) + tally.rounds * 40_503)
    const place = places[random() < 0.3 ? places.length - 1 : 0] as Place
    const chosen = chooseCommands(tally, place, random, options)
    await running
    running = runAll(tally, place, chosen)
    tally.rounds++
    tally.seconds += (performance.now() - start) / 1000
    options.onRound?.()
  }
  await running
}

function chooseCommands(
  tally: Tally,
  { judge, range }: Place,
  random: Random,
  {
    seen,
    corpus = CORPUS,
    make,
  }: { seen: Set<string>; corpus?: readonly string[]; make?: typeof makeCommand },
): string[] {
  const chosen: string[] = []
  for (let count = 0; count < PER_ROUND; count++) {
    const candidate = makeCandidate(random, corpus, make)
    tally.generated++
    if (!judge(candidate.command)) continue
    tally.allowed++
    const key = `${range.scene} ${candidate.command}`
    if (seen.has(key) || !isWorthRunning(candidate, tally, random)) continue
    seen.add(key)
    chosen.push(candidate.command)
    for (const name of candidate.productions) tally.productions[name] = (tally.productions[name] ?? 0) + 1
  }
  return chosen
}

async function runAll(tally: Tally, { range }: Place, commands: readonly string[]): Promise<void> {
  const found = await range.run(commands)
  tally.executed += commands.length
  for (const [command, harm] of found) tally.harmful.push({ scene: range.scene, command, harm })
}

function isWorthRunning({ productions, isChanged }: Candidate, tally: Tally, random: Random): boolean {
  if (random() < (isChanged ? SHARE_OF_CHANGED : SHARE_OF_UNCHANGED)) return true
  return [...productions].some((name) => (tally.productions[name] ?? 0) < RUNS_PER_PRODUCTION)
}

/** `make`: nothing but what this makes, and its mutations. */
function makeCandidate(random: Random, corpus: readonly string[], make?: typeof makeCommand): Candidate {
  const made =
    make !== undefined || random() < 0.75
      ? (make ?? makeCommand)(random)
      : { command: pick(corpus, random), productions: new Set<string>() }
  const used = new Set(made.productions)
  let { command } = made
  const times = pick([0, 0, 0, 1, 1, 1, 2, 3], random)
  for (let time = 0; time < times; time++) {
    if (random() < 0.08) {
      used.add('mutation: cross')
      command = cross(command, random() < 0.5 ? makeCommand(random).command : pick(corpus, random), random)
      continue
    }
    const name = pick(MUTATION_NAMES, random)
    used.add(`mutation: ${name}`)
    command = MUTATIONS[name]?.(command, random) ?? command
  }
  return { command, productions: used, isChanged: command !== made.command }
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() * items.length)] as Item
}
