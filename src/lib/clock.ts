/** Time as a thing that is handed in, so that tests own it. */
export interface Clock {
  now(): number
  /** Runs `action` after `ms`; the function it returns cancels that. Does not keep the process alive. */
  after(ms: number, action: () => void): () => void
}

/** Maximum of setTimeout; a longer delay would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: Date.now,
  after(ms, action) {
    let timer: NodeJS.Timeout
    const arm = (left: number) => {
      const part = Math.min(left, MAX_TIMER_MS)
      timer = setTimeout(() => (left > part ? arm(left - part) : action()), part).unref()
    }
    arm(ms)
    return () => clearTimeout(timer)
  },
}
