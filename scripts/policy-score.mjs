/** `npm run policy:score`: bundles bench/policy-score.ts, which is TypeScript, and runs it at full speed. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(root, 'node_modules', '.policy-score-'))
try {
  const file = join(folder, 'policy-score.mjs')
  await build({
    input: join(root, 'bench/policy-score.ts'),
    platform: 'node',
    logLevel: 'warn',
    output: { file, format: 'esm' },
  })
  const { status } = spawnSync(process.execPath, [file, ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
