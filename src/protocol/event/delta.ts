import type { Delta, SessionEvent } from './event.js'

/** Has no schema beside it, so that the page loads quickly. */
export function isDelta(event: SessionEvent | Delta): event is Delta {
  return !('seq' in event)
}
