/** Backoff (exponential pauses) for processes that end before they have read a message: pauses grow, and after five starts it is given up. */

const PAUSES_MS = [0, 1_000, 5_000, 30_000]
export const MAX_STARTS = PAUSES_MS.length + 1

export class RestartBackoff {
  readonly #starts = new Map<string, { messageId: string; count: number }>()

  /** The pause before the next start for this message; null: no more. */
  next(sessionId: string, messageId: string): { delayMs: number; start: number } | null {
    const known = this.#starts.get(sessionId)
    const count = known?.messageId === messageId ? known.count + 1 : 1
    this.#starts.set(sessionId, { messageId, count })
    const delayMs = PAUSES_MS[count - 1]
    if (delayMs !== undefined) return { delayMs, start: count + 1 }
    this.forget(sessionId)
    return null
  }

  forget(sessionId: string): void {
    this.#starts.delete(sessionId)
  }
}
