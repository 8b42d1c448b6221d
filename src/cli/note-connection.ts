/** Notes for the user of a command that follows events: whether the daemon is there. */

import type { StreamState } from '../client/event-stream.js'
import type { Terminal } from './output/terminal.js'

/** Says that the daemon is away, once, and that it is there again. */
export function noteConnection({ note, color }: Terminal, left: AbortSignal): (state: StreamState) => void {
  let isLost = false
  return (state) => {
    // The user has left: the connection ends on purpose.
    if (left.aborted) return
    if (state === 'waiting' && !isLost) {
      isLost = true
      note(color.yellow('The daemon is not responding. Retrying.'))
    }
    if (state === 'live' && isLost) {
      isLost = false
      note(color.yellow('Connected again.'))
    }
  }
}
