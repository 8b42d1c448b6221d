/**
 * How long a verdict takes: node bench/policy.mjs [cases.json]. Without a list of cases it judges a few ordinary calls and
 * the longest that is still read. Needs a build.
 */

import { readFileSync } from 'node:fs'
import { evaluate } from '../dist/policy/evaluate.js'
import { nodeFileSystem } from '../dist/policy/file-system.js'

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

const path = process.argv[2]
const calls = path === undefined ? [...ORDINARY, ...FILES] : JSON.parse(readFileSync(path, 'utf8'))
const times = []
for (let round = 0; round * calls.length < VERDICTS; round++) {
  for (const { tool, input } of calls) {
    const start = performance.now()
    evaluate({ tool, input, mode: 'default', cwd: process.cwd(), home: '/home/dev', fs: nodeFileSystem() })
    // The first rounds warm up.
    if (round * calls.length > VERDICTS / 4) times.push(performance.now() - start)
  }
}
times.sort((one, other) => one - other)
const at = (part) => (times[Math.floor((times.length - 1) * part)] ?? 0).toFixed(3)
console.log(
  `${calls.length} calls, ${times.length} verdicts: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, 99 % ${at(0.99)} ms`,
)
process.exitCode = Number(at(0.5)) < 0.2 ? 0 : 1
