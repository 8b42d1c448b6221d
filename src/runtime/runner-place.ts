/** The files by which a hub and its runner find each other in the home. */

import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.js'
import { digest } from '../lib/digest.js'
import { HubError } from '../protocol/error.js'
import { AlreadyLocked, lockFile } from '../store/home-lock.js'

export interface RunnerPlace {
  readonly folder: string
  readonly socket: string
  readonly keyFile: string
  /** Held by the runner as long as it runs. */
  readonly lock: string
  readonly spool: string
}

/** The limit of the system for the path of a socket, on macOS; Linux allows a few more. */
const MAX_SOCKET_PATH = 103

export function runnerPlace(home: string): RunnerPlace {
  const folder = join(home, 'run')
  const at = (name: string) => join(folder, name)
  return {
    folder,
    socket: at('link.sock'),
    keyFile: at('link.key'),
    lock: at('runner.lock'),
    spool: at('spool.jsonl'),
  }
}

/** Makes the folder and a new key, which only the owner of the home can read. */
export function makeRunnerPlace(home: string): RunnerPlace & { key: string } {
  const place = runnerPlace(home)
  if (Buffer.byteLength(place.socket) > MAX_SOCKET_PATH)
    throw new HubError(
      'home_unusable',
      `The path ${place.socket} is too long for a socket. Choose a home with a shorter path, or start without "--runner own".`,
      { home },
    )
  mkdirSync(place.folder, { recursive: true, mode: 0o700 })
  const key = randomBytes(32).toString('hex')
  writeFileSync(`${place.keyFile}.new`, key, { mode: 0o600 })
  renameSync(`${place.keyFile}.new`, place.keyFile)
  return { ...place, key }
}

export interface RunnerBuild {
  /** Of this package. */
  version: string
  config: Config
  scripted: string | true | null
}

/**
 * Security: a runner that has outlived its hub has the settings of that time, such as the policy. It is used again
 * only where a new one would have the same.
 */
export function digestOfBuild({ version, config, scripted }: RunnerBuild): string {
  const { port: _port, host: _host, ...settings } = config
  return digest(JSON.stringify([version, settings, scripted]))
}

export function readLinkKey({ keyFile }: RunnerPlace): string {
  try {
    return readFileSync(keyFile, 'utf8')
  } catch {
    return '' // The hub refuses it; there is another attempt.
  }
}

/** Whether a runner of this home runs as a process of its own. */
export async function hasOwnRunner(home: string): Promise<boolean> {
  const { lock } = runnerPlace(home)
  if (!existsSync(lock)) return false
  try {
    const taken = await lockFile(lock)
    taken.release()
    return false
  } catch (error) {
    if (error instanceof AlreadyLocked) return true
    throw error
  }
}

/** For work that would conflict with a runner that has outlived its daemon. */
export async function refuseOwnRunner(home: string): Promise<void> {
  if (!(await hasOwnRunner(home))) return
  throw new HubError(
    'daemon_running',
    'A runner of this home still runs as a process of its own. "signalbox start --runner own" connects to it, and ends it when it is stopped.',
    { home },
  )
}
