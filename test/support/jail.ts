/** The read-only jail in tests: commands are run as the CLI runs them, with and without it. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createJail, type Jail } from '../../src/jail/jail.js'
import { reasonText } from '../../src/protocol/reason/reason.js'
import { bundledClaude } from '../../src/runtime/bundled-claude.js'
import { temporaryFolder } from './temporary-folder.js'
import { share, whenDone } from './when-done.js'

/** Without bubblewrap there is nothing to test; `npm test` says so and installs it where it may. */
export const hasBubblewrap = existsSync('/usr/bin/bwrap')

export interface JailPlace {
  folder: string
  /** The workspace. */
  cwd: string
  /** The home of Signalbox. */
  home: string
  jail: Jail
}

export async function makeJailPlace(): Promise<JailPlace> {
  const { folder, cwd } = await makeWorkspace()
  const home = join(folder, 'signalbox')
  await mkdir(home)
  const jail = createJail({
    home,
    claudeProgram: bundledClaude(),
    mark: 'SIGNALBOX_CHILD',
    platform: process.platform,
    arch: process.arch,
  })
  const { state, reason } = await jail.verify()
  if (state !== 'verified') throw new Error(`The jail could not be verified: ${reason}`)
  whenDone(() => jail.close())
  return { folder, cwd, home, jail }
}

/** One jail for the tests of a group, because verifying it takes a second of CPU time. Each call makes a workspace of its own. */
export function shareJail(): () => Promise<JailPlace> {
  const shared = share(makeJailPlace, 60_000)
  return async () => ({ ...shared(), ...(await makeWorkspace()) })
}

async function makeWorkspace(): Promise<Pick<JailPlace, 'folder' | 'cwd'>> {
  const folder = await temporaryFolder()
  const cwd = join(folder, 'project')
  await mkdir(cwd)
  return { folder, cwd }
}

export interface Ran {
  /** Both streams, in the order in which they were written. */
  output: Buffer
  status: number | null
  signal: NodeJS.Signals | null
  /** Where the shell of the next command would be; null if the CLI would not have noted it. */
  folder: string | null
}

export const SECRET_VALUE = 'canary-in-the-environment'

/** As Claude Code (2.1.325) runs a command: one file for both streams, the final folder noted after a success. */
export async function runAsCli(
  command: string,
  { cwd, folder }: { cwd: string; folder: string },
  { signal, env = {} }: { signal?: AbortSignal; env?: Record<string, string> } = {},
): Promise<Ran> {
  const id = `${process.pid}-${counter++}`
  const [output, noted] = [join(folder, `output-${id}`), join(folder, `cwd-${id}`)]
  const file = await open(output, 'a')
  const quoted = `'${command.replaceAll("'", `'"'"'`)}'`
  const text = `\\builtin shopt -u extglob 2>/dev/null || true && eval ${quoted} && pwd -P >| ${noted}`
  const child = spawn('/bin/bash', ['-c', text], {
    cwd,
    stdio: ['pipe', file.fd, file.fd],
    detached: true,
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: folder,
      LANG: 'C.UTF-8',
      ANTHROPIC_API_KEY: SECRET_VALUE,
      SIGNALBOX_CHILD: id,
      ...env,
    },
  })
  child.stdin?.end()
  const kill = () => process.kill(-(child.pid ?? 0), 'SIGKILL')
  if (signal?.aborted) kill()
  else signal?.addEventListener('abort', kill)
  const [status, ended] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  await file.close()
  const result = {
    output: await readFile(output),
    status,
    signal: ended,
    folder: existsSync(noted) ? (await readFile(noted, 'utf8')).trimEnd() : null,
  }
  await Promise.all([output, noted].map((path) => rm(path, { force: true })))
  return result
}

let counter = 0

/** The same command inside the jail; rejects if it cannot be wrapped. */
export async function runJailed(
  command: string,
  place: JailPlace,
  options: { cwd?: string; signal?: AbortSignal; env?: Record<string, string> } = {},
): Promise<Ran> {
  const cwd = options.cwd ?? place.cwd
  const wrapped = await place.jail.wrap({
    command,
    cwd,
    workspace: place.cwd,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: place.folder, LANG: 'C.UTF-8', ...options.env },
  })
  if ('problem' in wrapped) throw new Error(reasonText([wrapped.problem]))
  return runAsCli(wrapped.command, { cwd, folder: place.folder }, options)
}
