/** A folder of one's own for an example, with a script for the model; forgotten afterwards. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export async function makeOwnFolder(script) {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-example-'))
  const workspace = join(folder, 'project')
  const home = join(folder, 'signalbox')
  const scriptFile = join(folder, 'script.json')
  await mkdir(workspace)
  await writeFile(scriptFile, JSON.stringify(script))
  return {
    folder,
    workspace,
    /** For `createSignalbox`, `ClaudeManager` and `ClaudeCodeBuilder`. With an account, none of it is needed. */
    options: {
      home,
      scripted: scriptFile,
      env: { PATH: process.env.PATH, HOME: folder, SIGNALBOX_WARM: '0' },
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}
