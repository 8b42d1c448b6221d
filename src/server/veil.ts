/** What somebody who may only look is shown: without the secrets that are recognised in it. */

import type { Published } from '../journal.js'
import type { SessionEvent } from '../protocol/event.js'
import type { Identity } from './access.js'

export interface Veil {
  text(json: string): string
  /** The same for every reader: it is made once. */
  item(item: Published): Published
}

export function createVeil(redact: (text: string) => string): Veil {
  const made = new WeakMap<Published, Published>()
  return {
    text: redact,
    item(item) {
      if (item.position === undefined) return item
      const known = made.get(item)
      if (known) return known
      const veiled = { ...item, event: hideIn(item.event, redact) }
      made.set(item, veiled)
      return veiled
    },
  }
}

/** Who may act sees everything: an answer must be about what really is. */
export function veilFor({ role }: Identity, veil: Veil): Veil | null {
  return role === 'viewer' ? veil : null
}

function hideIn(event: SessionEvent, redact: (text: string) => string): SessionEvent {
  const json = JSON.stringify(event)
  const hidden = redact(json)
  if (hidden === json) return event
  try {
    return JSON.parse(hidden) as SessionEvent // The event, but for some of its texts.
  } catch {
    // Rather nothing than a secret.
    return { ...event, data: {} } as unknown as SessionEvent
  }
}
