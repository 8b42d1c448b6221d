/**
 * How long a verdict takes: node bench/policy.mjs [cases.json]. Without a list of cases it judges a few ordinary calls and
 * the longest that is still read. Needs a build.
 */

import { readFileSync } from 'node:fs'
import { evaluate } from '../dist/policy/evaluate.js'
import { nodeFileSystem } from '../dist/policy/file-system.js'
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

const path = process.argv.slice(2).find((word) => !word.startsWith('-'))
const calls = path === undefined ? [...ORDINARY, ...FILES] : JSON.parse(readFileSync(path, 'utf8'))
const long = { tool: 'Bash', input: { command: `echo ${'word '.repeat(LONGEST)}`.slice(0, LONGEST) } }
const judge = ({ tool, input }) =>
  evaluate({ tool, input, mode: 'default', cwd: process.cwd(), home: '/home/dev', fs: nodeFileSystem() })

const times = []
for (let round = 0; round * calls.length < VERDICTS; round++) {
  for (const call of calls) {
    const ms = await timed(() => judge(call))
    // The first rounds warm up.
    if (round * calls.length > VERDICTS / 4) times.push(ms)
  }
}
const longest = []
for (let count = 0; count < AT_ONCE; count += 1) longest.push(await timed(() => judge(long)))
report({
  name: 'a verdict of the policy',
  figures: { [`${calls.length} ordinary calls`]: times, 'a call of 256 KiB': longest },
  goals: [
    { row: `${calls.length} ordinary calls`, absolute: 0.2 },
    { row: 'a call of 256 KiB', absolute: 50 },
  ],
  notes: [
    `of the ordinary ones 95 % ${percentile(times, 0.95).toFixed(3)} ms, 99 % ${percentile(times, 0.99).toFixed(3)} ms`,
  ],
})
