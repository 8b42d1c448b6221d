/** Bundles a TypeScript program of `bench` and runs it at full speed: node scripts/run-bundled.mjs FILE [arguments]. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const [program, ...words] = process.argv.slice(2)
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(root, 'node_modules', '.bundled-'))
try {
  const file = join(folder, 'program.mjs')
  await build({
    input: join(root, program),
    platform: 'node',
    logLevel: 'warn',
    output: { file, format: 'esm' },
  })
  const { status } = spawnSync(process.execPath, [file, ...words], { cwd: root, stdio: 'inherit' })
  process.exitCode = status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
