/**
 * `npm run test:seeds`: the property tests with new seeds, ROUNDS times (default 5). A failure names its seed: repeat it with
 * PROPERTY_SEED=… and the file. Arguments choose files, as with vitest.
 */

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
const ROUNDS = Number(process.env.ROUNDS ?? 5)

const usesProperties = (file) =>
  /from '(?:fast-check|.*\/support\/arbitrary\.js)'/.test(readFileSync(file, 'utf8'))
const files = ['src', 'web/src', 'test']
  .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true }).map((name) => join(folder, name)))
  .filter((file) => file.endsWith('.test.ts') && usesProperties(join(ROOT, file)))
const chosen = process.argv.slice(2)

let failed = 0
for (let round = 1; round <= ROUNDS; round += 1) {
  const { status } = spawnSync(
    process.execPath,
    [VITEST, 'run', '--project', 'unit', '--reporter=dot', ...(chosen.length > 0 ? chosen : files)],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, PROPERTY_SEED: 'random' } },
  )
  if (status !== 0) failed += 1
  console.log(`Round ${round} of ${ROUNDS}: ${status === 0 ? 'passed' : 'failed'}`)
}
if (failed > 0) process.exitCode = 1
