/** The scripted model as a process that the keeper holds: it outlives the daemon with the sessions that it answers. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { digest } from '../lib/digest.js'
import { asRecord, asText } from '../lib/read-json.js'
import type { ScriptInput } from '../scripted/script.js'
import { MARK, markOf } from '../session/claude/process-identity.js'
import { reap } from '../session/claude/reaper.js'
import type { Keeper, KeptConnection } from '../session/keeper/keeper-client.js'
import { OUTPUT_FILE } from '../session/keeper/keeper-protocol.js'
import type { CloseOptions } from '../session/runner.js'

const PROGRAM = fileURLToPath(new URL('../scripted/model-process.js', import.meta.url))
const START_MS = 10_000
const POLL_MS = 10

export interface KeptModel {
  readonly url: string
  /** Ends it, or leaves it to the next daemon. */
  close(options: CloseOptions): Promise<void>
}

/** Null if it cannot be kept here. One that a previous daemon has left is used again, if it has the same script. */
export async function openKeptModel(
  keeper: Keeper,
  home: string,
  script: ScriptInput,
): Promise<KeptModel | null> {
  if (!(await keeper.ready())) return null
  const text = JSON.stringify(script)
  const id = digest(text).slice(0, 16)
  const folder = join(home, 'run', `model-${id}`)
  // Not the mark of sessions: it is no orphan of theirs.
  const mark = `model-${markOf(home)}-${id}`
  const left = await keeper.attach(folder)
  const connection = left ?? start(keeper, folder, mark, text)
  const url = await addressIn(folder, connection)
  if (url === null) {
    connection.close()
    await reap(mark)
    return null
  }
  // It must not keep an embedding program alive.
  connection.socket.unref()
  return {
    url,
    async close({ keepsProcesses }) {
      connection.close()
      if (keepsProcesses) return
      await reap(mark)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function start(keeper: Keeper, folder: string, mark: string, script: string): KeptConnection {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  const file = join(folder, 'script.json')
  writeFileSync(file, script, { mode: 0o600 })
  return keeper.start({
    folder,
    command: process.execPath,
    args: [PROGRAM, file],
    env: { [MARK]: mark },
    mark,
  })
}

async function addressIn(folder: string, connection: KeptConnection): Promise<string | null> {
  const ended = connection.ended.then(() => true)
  for (let waited = 0; waited < START_MS; waited += POLL_MS) {
    const [line, ...more] = contentOf(join(folder, OUTPUT_FILE)).split('\n')
    if (line && more.length > 0) return asText(asRecord(JSON.parse(line))['url'])
    if (await Promise.race([ended, wait(POLL_MS, false)])) return null
  }
  return null
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
