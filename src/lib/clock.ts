/** Time as a thing that is handed in, so that tests own it. */
export interface Clock {
  now(): number
  /** Runs `action` after `ms`; the function it returns takes that back. */
  after(ms: number, action: () => void): () => void
}

export const systemClock: Clock = {
  now: Date.now,
  after(ms, action) {
    const timer = setTimeout(action, ms)
    return () => clearTimeout(timer)
  },
}
