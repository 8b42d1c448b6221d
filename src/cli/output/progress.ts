/** A line that says what takes so long, on a terminal and only after a second without other output. */

const DELAY_MS = 1_000
const CLEAR = '\r\u001b[2K'

export interface Progress {
  /** Begins; the result ends it. */
  busy(label: string): () => void
  /** Makes room for other output. */
  clear(): void
  /** The user is asked, or follows what happens: it is not shown again. */
  end(): void
}

export function createProgress(
  write: ((text: string) => void) | null,
  columns: () => number,
  now: () => number = Date.now,
): Progress {
  if (!write) return { busy: () => () => {}, clear: () => {}, end: () => {} }
  let current: { label: string; startedAt: number; timer: NodeJS.Timeout } | null = null
  let isShown = false
  const clear = () => {
    if (isShown) write(CLEAR)
    isShown = false
    current?.timer.refresh()
  }
  const draw = () => {
    if (!current) return
    const seconds = Math.round((now() - current.startedAt) / 1_000)
    write(`${CLEAR}${`${current.label} … ${seconds} s`.slice(0, columns() - 1)}`)
    isShown = true
  }
  return {
    clear,
    end() {
      clear()
      if (current) clearInterval(current.timer)
      current = null
    },
    busy(label) {
      clear()
      if (current) clearInterval(current.timer)
      const mine = { label, startedAt: now(), timer: setInterval(draw, DELAY_MS) }
      mine.timer.unref()
      current = mine
      return () => {
        clearInterval(mine.timer)
        if (current !== mine) return
        clear()
        current = null
      }
    },
  }
}
