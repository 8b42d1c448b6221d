/** `npm run bench [-- NAME …]`: every benchmark, or those named, one after the other. Needs a build, which it makes if need be. */

import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))
const all = readdirSync(folder)
  .filter((name) => name.endsWith('.mjs') && name !== 'run.mjs')
  .map((name) => basename(name, '.mjs'))
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('-'))
const unknown = wanted.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${all.join(', ')}.`)
  process.exit(2)
}
let failed = 0
for (const name of wanted.length > 0 ? wanted : all) {
  const flags = process.argv.slice(2).filter((word) => word.startsWith('-'))
  const { status } = spawnSync(process.execPath, [`${folder}${name}.mjs`, ...flags], { stdio: 'inherit' })
  if (status !== 0) failed += 1
}
process.exit(failed > 0 ? 1 : 0)
