/** Bundles a TypeScript file of the repository into a file below `node_modules`, for programs without a build of it. */

import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Hands the bundled file to `use`; afterwards it is gone. `source` is relative to the repository. */
export async function withBundle(source, use) {
  const folder = mkdtempSync(join(root, 'node_modules', '.bundled-'))
  try {
    const file = join(folder, 'program.mjs')
    await build({
      input: join(root, source),
      platform: 'node',
      logLevel: 'warn',
      output: { file, format: 'esm' },
    })
    return await use(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
