/** The daemon behind an editor: the running one of the home, or one in this process. */

import { Agent } from 'node:http'
import type { Client } from '../../client/client.js'
import { readAddress } from '../../home.js'
import { HubError } from '../../protocol/error.js'
import type { Role } from '../../protocol/role.js'
import { findDaemon } from '../connect.js'

export interface Plane {
  readonly client: Client
  /** The role of the token. */
  readonly role: Role
  /** The address of the dashboard. */
  readonly url: string
  /**
   * Tries again while the daemon cannot be reached, for example during its restart. `work` must be idempotent. Without a
   * limit: until `signal` aborts.
   */
  call<Result>(work: () => Promise<Result>, options?: CallOptions): Promise<Result>
  close(): Promise<void>
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  limitMs?: number
}

export interface PlaneOptions {
  home: string
  scripted: string | true | null
  /** In place of the token of the home. */
  token: string | undefined
}

const LIMIT_MS = 60_000
const FIRST_WAIT_MS = 100
const MAX_WAIT_MS = 2_000

export async function openPlane({ home, scripted, token }: PlaneOptions): Promise<Plane> {
  let own: { close(): Promise<void> } | null = null
  const agent = new Agent({ keepAlive: true })
  const start = async () => {
    const { startLoggedDaemon } = await import('../log/logged-daemon.js')
    own = (await startLoggedDaemon({ home, settings: { port: 0 }, scripted })).daemon
  }
  const call: Plane['call'] = async (work, { signal, limitMs = LIMIT_MS } = {}) => {
    const end = Date.now() + limitMs
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
      try {
        return await work()
      } catch (error) {
        if (!isUnreachable(error) || signal?.aborted || Date.now() + wait > end) throw error
        // It was stopped, perhaps with the editor that it belonged to. One that was killed is restarted by its service.
        if (readAddress(home) === null) await start().catch(ifAnotherStarts)
        await pause(wait, signal)
      }
    }
  }
  const close = async () => {
    agent.destroy()
    await own?.close()
  }
  const reach = async () => {
    const client = findDaemon(home, { token, via: 'acp', agent })
    if (!client) throw new HubError('daemon_unreachable', 'Signalbox did not start. See "signalbox logs".')
    return { client, about: (await client.about()).about }
  }
  try {
    const { client, about } = await reach().catch(async (error: unknown) => {
      if (!isUnreachable(error)) throw error
      await start().catch(ifAnotherStarts)
      return call(reach)
    })
    // A user who asks for the script must not get a model that costs money.
    if (scripted !== null && about.model !== 'scripted')
      throw new HubError(
        'daemon_running',
        'The running daemon uses your account, not a script. Choose another home with --home.',
      )
    return { client, role: about.you.role, url: about.url, call, close }
  } catch (error) {
    await close()
    throw error
  }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof HubError && error.code === 'daemon_unreachable'
}

/** Race: two editors start one at the same moment. */
function ifAnotherStarts(error: unknown): void {
  if (!(error instanceof HubError) || error.code !== 'daemon_running') throw error
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
}
