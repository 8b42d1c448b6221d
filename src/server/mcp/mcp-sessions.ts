/** The MCP clients that are connected: bounded in number, each bound to its credential, forgotten when idle. */

import { randomUUID } from 'node:crypto'
import type { Clock } from '../../lib/clock.js'
import { HubError } from '../../protocol/error.js'
import type { Identity } from '../auth/credentials.js'
import type { Connections } from '../stream/connections.js'
import { type McpSessionDeps, openMcpSession } from './mcp-session.js'
import { PostTransport } from './post-transport.js'

const MAX_CLIENTS = 100
export const MAX_OF_ONE = 20
const IDLE_MS = 30 * 60_000

export interface McpClient {
  readonly id: string
  readonly transport: PostTransport
}

interface Entry extends McpClient {
  owner: string
  usedAt: number
  close(): void
}

export interface McpSessionsDeps extends Omit<McpSessionDeps, 'transport'> {
  connections: Connections
}

export class McpSessions {
  readonly #deps: McpSessionsDeps
  readonly #clock: Clock
  readonly #open = new Map<string, Entry>()

  constructor(deps: McpSessionsDeps) {
    this.#deps = deps
    this.#clock = deps.clock
  }

  async open(identity: Identity): Promise<McpClient> {
    this.#makeRoom(ownerOf(identity))
    const transport = new PostTransport()
    const id = randomUUID()
    const entry: Entry = {
      id,
      transport,
      owner: ownerOf(identity),
      usedAt: this.#clock.now(),
      close: () => {
        this.#open.delete(id)
        forget()
        transport.close().catch(this.#deps.onFault)
      },
    }
    // It ends with its credential.
    const forget = this.#deps.connections.add(identity, () => entry.close())
    this.#open.set(id, entry)
    try {
      await openMcpSession({ ...this.#deps, transport })
      return entry
    } catch (error) {
      entry.close()
      throw error
    }
  }

  /** Null if there is none, or if it belongs to another credential. */
  find(id: string, identity: Identity): McpClient | null {
    const entry = this.#open.get(id)
    if (!entry || entry.owner !== ownerOf(identity)) return null
    entry.usedAt = this.#clock.now()
    return entry
  }

  close(id: string): void {
    this.#open.get(id)?.close()
  }

  #makeRoom(owner: string): void {
    const now = this.#clock.now()
    for (const entry of this.#open.values())
      if (!entry.transport.isBusy && now - entry.usedAt > IDLE_MS) entry.close()
    const own = [...this.#open.values()].filter((entry) => entry.owner === owner)
    const isFull = own.length >= MAX_OF_ONE || this.#open.size >= MAX_CLIENTS
    if (!isFull) return
    // A client that comes back after a crash must not wait for its former sessions.
    const oldest = own.filter(({ transport }) => !transport.isBusy).toSorted((a, b) => a.usedAt - b.usedAt)[0]
    if (!oldest)
      throw new HubError('requests_limited', 'Too many MCP clients are connected. Close some, then retry.')
    oldest.close()
  }
}

function ownerOf({ credentialId }: Identity): string {
  return credentialId ?? ''
}
