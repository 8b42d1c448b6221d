/**
 * `npm run fuzz:policy -- --minutes N [--seed S]`: generated and mutated commands that the policy allows are run by the
 * real bash in a range with canaries. Goes on where the last run with this seed stopped, unless `--fresh` is given.
 * `--options` makes only commands with options that programs read in another way than it seems.
 * `--proof` judges by the checker alone, without the interpreter. `--jail` runs what is allowed only in the read-only jail, in the jail. `--insertions` instead puts a command into every place of every allowed command of the corpora.
 */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { makeHostileOptions } from '../test/support/grammar/hostile-option.js'
import {
  CORPUS,
  newTally,
  type Place,
  RUNS_PER_PRODUCTION,
  runRounds,
  type Tally,
  UNPROVEN,
} from '../test/support/range/differential.js'
import { insertionsInto } from '../test/support/range/insertion.js'
import { JailedRange } from '../test/support/range/jailed-range.js'
import { judgeFor, proofFor } from '../test/support/range/judge.js'
import { Range, whyNoRange } from '../test/support/range/range.js'
import { SCENES } from '../test/support/range/root.js'
import { readCorpus } from './policy-corpus.js'
import { seeded } from './policy-rewrite.js'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    generate: { type: 'string', default: '1000000' },
    fresh: { type: 'boolean', default: false },
    insertions: { type: 'boolean', default: false },
    jail: { type: 'boolean', default: false },
    proof: { type: 'boolean', default: false },
    options: { type: 'boolean', default: false },
    corpus: { type: 'string', default: '../shared/corpora/policy-dev.json' },
  },
})
const STATE = resolve(
  `node_modules/.cache/policy-net-${values.seed}${values.insertions ? '-insertions' : ''}${values.jail ? '-jail' : values.proof ? '-proof' : ''}.json`,
)

const why = whyNoRange()
if (why !== null) {
  console.error(`There is no range on this machine: ${why}.`)
  process.exit(1)
}
const deadline = performance.now() + Number(values.minutes) * 60_000
const corpus = [...new Set([...CORPUS, ...devCommands()])]
const places: readonly Place[] = SCENES.map((scene) => {
  if (values.jail) {
    const range = new JailedRange(scene)
    return { range, judge: range.judge }
  }
  const range = new Range(scene)
  return { range, judge: values.proof ? proofFor(range) : judgeFor(range) }
})
try {
  if (values.insertions) await insert()
  else await fuzz()
} finally {
  await Promise.all(places.map(({ range }) => range.close()))
}

async function fuzz(): Promise<void> {
  if (values.fresh) rmSync(STATE, { force: true })
  const { tally, seen } = readState()
  let said = performance.now()
  let shown = tally.harmful.length
  const onRound = () => {
    for (const { scene, command, harm } of tally.harmful.slice(shown))
      console.log(`HARM (${scene}) ${JSON.stringify(command)}: ${JSON.stringify(harm).slice(0, 300)}`)
    shown = tally.harmful.length
    if (performance.now() - said < 30_000) return
    said = performance.now()
    report(tally)
    writeState(tally, seen)
  }
  const isOver = () => performance.now() > deadline || tally.generated >= Number(values.generate)
  const make = values.options ? { make: makeHostileOptions } : {}
  await runRounds(tally, places, { seen, corpus, isOver, onRound, ...make })
  onRound()
  writeState(tally, seen)
  report(tally)
  const rare = Object.entries(tally.productions).filter(([, count]) => count < RUNS_PER_PRODUCTION)
  const isGrammar = (name: string) => !/^(?:mutation|hostile): /.test(name) && !UNPROVEN.has(name)
  console.log(
    `productions: ${Object.keys(tally.productions).filter(isGrammar).length}, run less than ${RUNS_PER_PRODUCTION} times: ${rare.filter(([name]) => isGrammar(name)).length}`,
  )
  for (const [name, count] of rare)
    console.log(`  ${name}: ${count}${UNPROVEN.has(name) ? ' (the proof does not know it)' : ''}`)
  process.exitCode = tally.harmful.length === 0 ? 0 : 1
}

function report({ seed, generated, allowed, executed, harmful, seconds }: Tally): void {
  console.log(
    `seed ${seed}: ${generated} generated, ${allowed} allowed, ${executed} distinct ones run, ${harmful.length} harmful; ` +
      `${seconds.toFixed(0)} s, ${(executed / seconds).toFixed(0)} distinct runs a second`,
  )
}

function readState(): { tally: Tally; seen: Set<string> } {
  try {
    const { tally, seen } = JSON.parse(readFileSync(STATE, 'utf8')) as { tally: Tally; seen: string[] }
    return { tally, seen: new Set(seen) }
  } catch {
    return { tally: newTally(Number(values.seed)), seen: new Set() }
  }
}

function writeState(tally: Tally, seen: ReadonlySet<string>): void {
  save({ tally, seen: [...seen] })
}

function save(state: unknown): void {
  mkdirSync(dirname(STATE), { recursive: true })
  writeFileSync(STATE, JSON.stringify(state))
}

interface InsertionState {
  counts: { commands: number; tried: number; run: number; harmful: number }
  /** Scenes and commands that are done. */
  done: string[]
  harmful: { scene: string; command: string }[]
}

/** In an order that the seed decides, so that a short run tries some of everything. Goes on where the last run stopped. */
async function insert(): Promise<void> {
  if (values.fresh) rmSync(STATE, { force: true })
  const random = seeded(Number(values.seed))
  const state = readInsertions()
  const { counts } = state
  const done = new Set(state.done)
  const wanted = corpus
    .map((command) => ({ command, order: random() }))
    .toSorted((one, other) => one.order - other.order)
    .flatMap(({ command }) => places.map((place) => ({ command, place })))
    .filter(({ command, place }) => place.judge(command))
  for (const { command, place } of wanted) {
    if (performance.now() > deadline) break
    const key = `${place.range.scene} ${command}`
    if (done.has(key)) continue
    const inserted = insertionsInto(command)
    const allowed = inserted.filter(place.judge)
    for (const [text, harm] of await place.range.run(allowed)) {
      counts.harmful++
      state.harmful.push({ scene: place.range.scene, command: text })
      console.log(
        `HARM (${place.range.scene}) ${JSON.stringify(text)}: ${JSON.stringify(harm).slice(0, 300)}`,
      )
    }
    counts.commands++
    counts.tried += inserted.length
    counts.run += allowed.length
    done.add(key)
    if (counts.commands % 20 === 0) save({ ...state, done: [...done] })
    if (counts.commands % 100 === 0) console.log(JSON.stringify(counts))
  }
  save({ ...state, done: [...done] })
  console.log(
    `insertions into ${counts.commands} of ${wanted.length} allowed commands: ${counts.tried} tried, ${counts.run} allowed and run, ${counts.harmful} harmful`,
  )
  process.exitCode = counts.harmful === 0 ? 0 : 1
}

function readInsertions(): InsertionState {
  try {
    return JSON.parse(readFileSync(STATE, 'utf8')) as InsertionState
  } catch {
    return { counts: { commands: 0, tried: 0, run: 0, harmful: 0 }, done: [], harmful: [] }
  }
}

function devCommands(): string[] {
  const cases = readCorpus(resolve(values.corpus)) ?? []
  return cases.flatMap(({ tool, input }) => {
    const command = tool === 'Bash' ? (input as { command?: unknown } | null)?.command : null
    return typeof command === 'string' && !command.includes('\0') ? [command] : []
  })
}
