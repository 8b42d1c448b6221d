/**
 * `npm run policy:score`: how the policy `careful` does on the corpus, under rewriting, on noise, and how long it takes.
 * The corpus is looked for beside the project, or where POLICY_CORPUS or the first argument says.
 */

import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { createCallEnvironment } from '../src/policy/file/call-environment.js'
import { emptyFileSystem } from '../src/policy/file/file-system.js'
import { readShell } from '../src/policy/shell/read-shell.js'
import { PROJECT, PROJECT_WITH_ENV } from '../test/support/benign/project.js'
import { benignMisses, countBenign } from './policy-benign.js'
import {
  type CorpusCase,
  HOME,
  judgeCase,
  type Mark,
  markOf,
  readCorpus,
  WORKSPACE,
} from './policy-corpus.js'
import { randomCall } from './policy-fuzz.js'
import { rewrite, seeded } from './policy-rewrite.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rewrites: { type: 'string', default: '100' },
    fuzz: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
  },
})
const path = positionals[0] ?? process.env['POLICY_CORPUS'] ?? '../shared/corpora/policy-dev.json'
const cases = readCorpus(path)
const random = seeded(Number(values.seed))
let isGood = true

if (cases === null) {
  console.log(`No corpus at ${path}: give its path, or set POLICY_CORPUS.`)
} else {
  scoreCorpus(cases)
  scoreRewrites(cases, Number(values.rewrites))
  measure(cases)
}
scoreBenign()
measureLargest()
if (Number(values.fuzz) > 0) fuzz(Number(values.fuzz))
process.exitCode = isGood ? 0 : 1

function scoreCorpus(all: readonly CorpusCase[]): void {
  const marks = new Map<Mark, CorpusCase[]>()
  const confusion = new Map<string, number>()
  for (const item of all) {
    const verdict = judgeCase(item)
    const mark = markOf(item, verdict)
    marks.set(mark, [...(marks.get(mark) ?? []), item])
    const cell = `expected ${item.expected.padEnd(5)} got ${verdict.verdict}`
    confusion.set(cell, (confusion.get(cell) ?? 0) + 1)
    const isShown = values.verbose ? mark !== 'exact' : mark !== 'exact' && mark !== 'accepted'
    if (isShown)
      console.log(
        `${mark}: ${item.id} expected ${item.expected}, got ${verdict.verdict} (${verdict.rule}: ${verdict.reason})`,
      )
  }
  const count = (mark: Mark) => marks.get(mark)?.length ?? 0
  const mustDeny = all.filter(({ expected, accept }) => expected === 'deny' && accept.length === 0).length
  const mayNotDeny = all.filter(
    ({ expected, accept }) => expected !== 'deny' && !accept.includes('deny'),
  ).length
  const mustAllow = all.filter(({ expected, accept }) => expected === 'allow' && accept.length === 0).length
  console.log(`corpus: ${all.length} cases`)
  console.log(`  wrong allows  ${count('wrong allow')}`)
  console.log(`  missed denies ${count('missed deny')} of ${mustDeny}`)
  console.log(`  false denies  ${count('false deny')} of ${mayNotDeny}`)
  console.log(`  needless asks ${count('needless ask')} of ${mustAllow}`)
  console.log(`  exact         ${count('exact')} (accepted otherwise: ${count('accepted')})`)
  for (const [cell, number] of [...confusion].toSorted(([one], [other]) => one.localeCompare(other)))
    console.log(`  ${cell}: ${number}`)
  isGood &&= count('wrong allow') + count('missed deny') + count('false deny') === 0
  isGood &&= count('needless ask') <= mustAllow * 0.03
}

/** `--verbose` lists what is asked although it only reads. */
function scoreBenign(): void {
  const total = countBenign()
  const share = (count: number) => `${count} of ${total} (${((100 * count) / total).toFixed(1)} %)`
  const variants = [
    { name: 'by proof alone', files: PROJECT, jail: false },
    { name: 'with the jail', files: PROJECT, jail: true },
    { name: 'by proof alone, beside a protected file', files: PROJECT_WITH_ENV, jail: false },
    { name: 'with the jail, beside a protected file', files: PROJECT_WITH_ENV, jail: true },
  ]
  console.log(`benign commands: ${total}`)
  for (const { name, files, jail } of variants) {
    const misses = benignMisses(files, { jail })
    console.log(`  needless asks ${name}: ${share(misses.length)}`)
    for (const category of new Set(misses.map((miss) => miss.category))) {
      const found = misses.filter((miss) => miss.category === category)
      console.log(`    ${category}: ${found.length}`)
      if (!values.verbose) continue
      for (const { command, verdict } of found)
        console.log(
          `      ${JSON.stringify(command)} ${verdict.verdict} (${verdict.rule}: ${verdict.reason})`,
        )
    }
  }
}

function scoreRewrites(all: readonly CorpusCase[], times: number): void {
  const commands = all.filter(
    ({ tool, expected, accept }) => tool === 'Bash' && expected === 'deny' && accept.length === 0,
  )
  const counts = { allow: 0, ask: 0, deny: 0 }
  for (const item of commands) {
    const command = (item.input as { command: string }).command
    for (let round = 0; round < times; round++) {
      const changed = rewrite(command, random)
      const { verdict, rule } = judgeCase({ ...item, input: { command: changed } })
      counts[verdict]++
      if (verdict === 'allow' || (verdict === 'ask' && values.verbose)) {
        console.log(
          `${verdict} after rewriting ${item.id} (${rule}): ${JSON.stringify(changed).slice(0, 300)}`,
        )
      }
    }
  }
  const total = counts.allow + counts.ask + counts.deny
  const share = total === 0 ? 100 : (100 * counts.deny) / total
  console.log(
    `rewrites: ${total} of ${commands.length} commands: ${counts.allow} allowed, ${counts.ask} asked, ${share.toFixed(3)} % denied`,
  )
  isGood &&= counts.allow === 0 && share >= 99.5
}

function measure(all: readonly CorpusCase[]): void {
  const times: number[] = []
  for (let round = 0; round < 5; round++) {
    for (const item of all) {
      const start = performance.now()
      judgeCase(item)
      if (round > 1) times.push(performance.now() - start)
    }
  }
  const sorted = times.toSorted((first, second) => first - second)
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(3)
  console.log(
    `time per verdict: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, 99 % ${at(0.99)} ms, longest ${at(1)} ms`,
  )
  isGood &&= Number(at(0.5)) < 0.2
}

/** Duration for 256 KiB of one kind of text. */
function measureLargest(): void {
  const size = 262_144
  const environment = createCallEnvironment({ cwd: WORKSPACE, home: HOME, fs: emptyFileSystem })
  const pieces = [
    'true; ',
    'a ',
    '$(',
    '(',
    '{a,',
    '`',
    '"',
    "'",
    '<<E ',
    '<(',
    '${x:-',
    '$((',
    '\\',
    'if ',
    'a&',
    'f(){ ',
    '\n',
    '"$(',
    '[a',
    'case x in ',
    '@(',
    'cat <<E\nx\nE\n',
    'x=$x$x; ',
    'a|',
    '>a ',
    'sudo ',
    '{1..9}',
    '{a,b}',
    '~ ',
    "$'\\x41'",
  ]
  const slowest = pieces
    .map((piece) => {
      const text = piece.repeat(Math.ceil(size / piece.length)).slice(0, size)
      return { piece, ms: Math.min(...[1, 2].map(() => timed(() => readShell(text, environment)))) }
    })
    .toSorted((first, second) => second.ms - first.ms)
  const [first] = slowest
  console.log(`256 KiB of one piece: longest ${first?.ms.toFixed(1)} ms (${JSON.stringify(first?.piece)})`)
  // Just below the limits is where most work is done.
  const edge = pieces
    .flatMap((piece) => [999, 4000, 11_000, 40_000].map((length) => ({ piece, length })))
    .map(({ piece, length }) => {
      const text = piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
      return {
        piece,
        length,
        ms: Math.min(...[1, 2, 3].map(() => timed(() => readShell(text, environment)))),
      }
    })
    .toSorted((a, b) => b.ms - a.ms)
  console.log(
    `shorter ones: longest ${edge[0]?.ms.toFixed(1)} ms (${edge[0]?.length} characters of ${JSON.stringify(edge[0]?.piece)})`,
  )
  isGood &&= (first?.ms ?? 0) < 50 && (edge[0]?.ms ?? 0) < 50
}

/** The work, not the waiting: other processes of the machine do not count. */
function timed(action: () => unknown): number {
  const start = process.cpuUsage()
  action()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

function fuzz(count: number): void {
  let slowest = { ms: 0, call: '' }
  const verdicts = { allow: 0, deny: 0, ask: 0 }
  for (let round = 0; round < count; round++) {
    const call = randomCall(random)
    const ms = timed(() => {
      verdicts[judgeCase(call).verdict]++
    })
    // A busy machine makes anything slow once; a slow command is slow again.
    if (ms > 20 && ms > slowest.ms) {
      const again = Math.min(...[1, 2, 3].map(() => timed(() => judgeCase(call))))
      if (again > slowest.ms) slowest = { ms: again, call: JSON.stringify(call) }
    }
  }
  console.log(
    `fuzz: ${count} calls, ${JSON.stringify(verdicts)}, none threw; slowest above 20 ms: ${slowest.ms.toFixed(1)} ms ${slowest.call.slice(0, 4_000)}`,
  )
  isGood &&= slowest.ms < 50
}
