/** Bundles a TypeScript program of `bench` and runs it at full speed: node scripts/run-bundled.mjs FILE [arguments]. */

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { withBundle } from './bundle-typescript.mjs'

const [program, ...words] = process.argv.slice(2)
const cwd = fileURLToPath(new URL('..', import.meta.url))
await withBundle(program, (file) => {
  const { status } = spawnSync(process.execPath, [file, ...words], { cwd, stdio: 'inherit' })
  process.exitCode = status ?? 1
})
