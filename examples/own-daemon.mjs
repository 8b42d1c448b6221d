/** A daemon of one's own for an example: scripted, in a folder that is forgotten afterwards. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createClient } from 'signalbox/client'

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

export async function startOwnDaemon(script) {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-example-'))
  const scriptFile = join(home, 'script.json')
  await writeFile(scriptFile, JSON.stringify(script))
  const args = [MAIN, 'start', '--json', '--port', '0', '--home', home, '--scripted', scriptFile]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: home, SIGNALBOX_WARM: '0' },
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { url } = JSON.parse(line)
  const token = (await readFile(join(home, 'token'), 'utf8')).trim()
  return {
    url,
    token,
    workspace: join(home, 'sample-workspace'),
    client: createClient({ url, token }),
    async close() {
      child.kill('SIGTERM')
      await once(child, 'exit')
      await rm(home, { recursive: true, force: true })
    },
  }
}
