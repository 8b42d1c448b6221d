/**
 * How long a verdict takes: node bench/policy.mjs [cases.json]. It judges a few ordinary calls, the benign commands, the
 * list of cases (that beside the project if none is given and it is there), and the longest call that is still read. Needs
 * a build.
 */

import { existsSync, readFileSync } from 'node:fs'
import { evaluate } from '../dist/policy/evaluate.js'
import { nodeFileSystem } from '../dist/policy/file/node-file-system.js'
import { placedFiles } from '../dist/policy/file/placed-files.js'
import { withBundle } from '../scripts/bundle-typescript.mjs'
import { percentile, report, timed } from './support/measure.mjs'

const ORDINARY = [
  'ls -la src',
  'git status && git diff --stat',
  'grep -rn "TODO" src | head -20',
  'npm test -- --watch=false',
  'cd web && npm run build > build.log 2>&1',
  'for f in src/*.ts; do wc -l "$f"; done',
  `cat <<'EOF' > notes.md\n${'A line of text.\n'.repeat(50)}EOF`,
  'find . -name "*.ts" -not -path "*/node_modules/*" | xargs grep -l "import"',
].map((command) => ({ tool: 'Bash', input: { command } }))
const FILES = ['Read', 'Write', 'Edit'].map((tool) => ({ tool, input: { file_path: 'src/index.ts' } }))
const VERDICTS = 10_000

const LONGEST = 256 * 1024
const AT_ONCE = 50

const path =
  process.argv.slice(2).find((word) => !word.startsWith('-')) ?? '../shared/corpora/policy-dev.json'
const given = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : []
const { BENIGN } = await withBundle('test/support/benign/command.ts', (file) => import(file))
const { PROJECT } = await withBundle('test/support/benign/project.ts', (file) => import(file))
const WORKSPACE = '/home/dev/project'

const real = ({ tool, input }) =>
  evaluate({ tool, input, mode: 'default', cwd: process.cwd(), home: '/home/dev', fs: nodeFileSystem() })
const placed = ({ tool, input, fs }) =>
  evaluate({
    tool,
    input,
    mode: 'default',
    cwd: WORKSPACE,
    home: '/home/dev',
    fs: placedFiles(fs ?? PROJECT, WORKSPACE),
  })
const benign = Object.values(BENIGN)
  .flat()
  .map((command) => ({ tool: 'Bash', input: { command } }))
const cases = given.map((item) => ({ fs: {}, ...item }))

const ordinary = await timesOf([...ORDINARY, ...FILES], real)
const corpora = await timesOf([...cases, ...benign], placed)
const long = { tool: 'Bash', input: { command: `echo ${'word '.repeat(LONGEST)}`.slice(0, LONGEST) } }
const longest = []
for (let count = 0; count < AT_ONCE; count += 1) longest.push(await timed(() => real(long)))
const corporaRow = `${cases.length + benign.length} calls of the corpora`
report({
  name: 'a verdict of the policy',
  figures: {
    [`${ORDINARY.length + FILES.length} ordinary calls`]: ordinary,
    [corporaRow]: corpora,
    'a call of 256 KiB': longest,
  },
  goals: [
    { row: `${ORDINARY.length + FILES.length} ordinary calls`, absolute: 0.2 },
    { row: corporaRow, absolute: 0.2 },
    { row: 'a call of 256 KiB', absolute: 50 },
  ],
  notes: [
    `of the ordinary ones 95 % ${percentile(ordinary, 0.95).toFixed(3)} ms, 99 % ${percentile(ordinary, 0.99).toFixed(3)} ms`,
    `of the corpora 95 % ${percentile(corpora, 0.95).toFixed(3)} ms, 99 % ${percentile(corpora, 0.99).toFixed(3)} ms`,
  ],
})

/** The first rounds warm up. */
async function timesOf(calls, judge) {
  const times = []
  for (let round = 0; round * calls.length < VERDICTS; round++) {
    for (const call of calls) {
      const ms = await timed(() => judge(call))
      if (round * calls.length > VERDICTS / 4) times.push(ms)
    }
  }
  return times
}
