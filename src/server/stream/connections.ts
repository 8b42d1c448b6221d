/** Connections that stay open: they end with the server, with the credential that opened them, and when it expires. */

import type { Clock } from '../../lib/clock.js'
import type { Identity } from '../auth/credentials.js'

export class Connections {
  readonly #clock: Clock
  readonly #open = new Map<() => void, { credentialId: string | null; cancelExpiry(): void }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** `end` is called at most once. The connection calls the returned function when it has closed on its own. */
  add({ credentialId, expiresAt }: Identity, end: () => void): () => void {
    const cancelExpiry =
      expiresAt === null
        ? () => {}
        : this.#clock.after(Date.parse(expiresAt) - this.#clock.now(), () => this.#end(end))
    this.#open.set(end, { credentialId, cancelExpiry })
    return () => this.#forget(end)
  }

  get size(): number {
    return this.#open.size
  }

  endOf(credentialIds: ReadonlySet<string>): void {
    for (const [end, { credentialId }] of this.#open) {
      if (credentialId !== null && credentialIds.has(credentialId)) this.#end(end)
    }
  }

  endAll(): void {
    for (const end of this.#open.keys()) this.#end(end)
  }

  #end(end: () => void): void {
    if (this.#forget(end)) end()
  }

  #forget(end: () => void): boolean {
    this.#open.get(end)?.cancelExpiry()
    return this.#open.delete(end)
  }
}
