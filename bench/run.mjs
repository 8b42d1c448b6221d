/**
 * `npm run bench [-- NAME …] [--json]`: every benchmark, or those named, one after the other, and a summary of their goals.
 * Needs a build, which it makes if need be. `--json` prints the results as lines instead; `--json=FILE` writes them to a file.
 */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))
const all = readdirSync(folder)
  .filter((name) => name.endsWith('.mjs') && name !== 'run.mjs')
  .map((name) => basename(name, '.mjs'))
const words = process.argv.slice(2)
const wanted = words.filter((word) => !word.startsWith('-'))
const file = words.find((word) => word.startsWith('--json='))?.slice('--json='.length)
const isJson = words.includes('--json')
const unknown = wanted.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${all.join(', ')}.`)
  process.exit(2)
}

const scratch = mkdtempSync(join(tmpdir(), 'signalbox-bench-results-'))
const results = join(scratch, 'results.jsonl')
writeFileSync(results, '')
const began = performance.now()
const broken = []
for (const name of wanted.length > 0 ? wanted : all) {
  const start = performance.now()
  const { status } = spawnSync(process.execPath, [`${folder}${name}.mjs`, ...(isJson ? ['--json'] : [])], {
    stdio: 'inherit',
    env: { ...process.env, BENCH_RESULTS: results },
  })
  if (status !== 0) broken.push(name)
  if (!isJson) console.log(`  (${name}: ${seconds(start)})`)
}
const found = readFileSync(results, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line))
rmSync(scratch, { recursive: true, force: true })
if (file)
  writeFileSync(file, `${JSON.stringify({ node: process.version, results: found, broken }, null, 2)}\n`)
if (!isJson) summarize(found)
process.exit(broken.length > 0 ? 1 : 0)

function summarize(reports) {
  const rows = reports.flatMap(({ name, verdicts }) => verdicts.map((verdict) => ({ name, ...verdict })))
  const cut = (text, width) => (text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width))
  console.log(`\n${cut('', 60)}${'figure'.padStart(12)}  ${'goal'.padEnd(12)}`)
  for (const { name, text, figure, goal, isMet } of rows) {
    const what = `${name}: ${text.split(/ at most| at least|: ×/)[0]}`
    console.log(`${cut(what, 60)}${figure.padStart(12)}  ${goal.padEnd(12)}${isMet ? 'met' : 'MISSED'}`)
  }
  const missed = rows.filter(({ isMet }) => !isMet).length
  console.log(`\n${rows.length - missed} of ${rows.length} goals met, in ${seconds(began)}.`)
  for (const name of broken) console.log(`BROKEN: ${name} did not come to its end.`)
}

function seconds(since) {
  return `${((performance.now() - since) / 1_000).toFixed(0)} s`
}
