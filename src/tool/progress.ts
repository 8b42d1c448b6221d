/**
 * Throttles the progress of a tool, so that it cannot flood the log: the first text at once, then the newest
 * at intervals.
 */

import type { Clock } from '../lib/clock.js'
import { wellFormed } from '../lib/text/truncate.js'
import { previewOf } from '../protocol/view/preview.js'

const PAUSE_MS = 250
const MAX_TEXT = 1_000

export interface Progress {
  tell(text: string): void
  /** Flushes the text that is still waiting. Later texts are dropped. */
  end(): void
}

export function createProgress(clock: Clock, report: (text: string) => void): Progress {
  let waiting: string | null = null
  let isPausing = false
  let hasEnded = false
  let cancel = () => {}

  function flush(): void {
    const text = waiting
    waiting = null
    isPausing = text !== null
    if (text === null) return
    cancel = clock.after(PAUSE_MS, flush)
    report(text)
  }

  return {
    tell(text) {
      if (hasEnded) return
      waiting = wellFormed(previewOf(text, MAX_TEXT))
      if (!isPausing) flush()
    },
    end() {
      if (hasEnded) return
      hasEnded = true
      cancel()
      if (waiting !== null) report(waiting)
    },
  }
}
