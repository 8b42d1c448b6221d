/** What somebody who may only look is shown: without the secrets that are recognised in it. */

import type { Published } from '../journal.js'
import { redactJson } from '../lib/redact.js'
import type { ErrorBody, HubError } from '../protocol/error.js'
import type { SessionEvent } from '../protocol/event.js'
import type { Identity } from './access.js'

export interface Veil {
  text(json: string): string
  /** The same for every reader: it is made once. */
  item(item: Published): Published
  /** For everybody: what went wrong is often copied into places that others read. */
  error(error: HubError): ErrorBody
}

export function createVeil(redact: (text: string) => string): Veil {
  const made = new WeakMap<Published, Published>()
  return {
    text: redact,
    error: (error) => redactJson(error.toBody(), redact) ?? bare(error),
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

function bare({ code }: HubError): ErrorBody {
  return { error: { code, message: 'It can not be told without a secret.', details: {} } }
}

/** Who may act sees everything: an answer must be about what really is. */
export function veilFor({ role }: Identity, veil: Veil): Veil | null {
  return role === 'viewer' ? veil : null
}

function hideIn(event: SessionEvent, redact: (text: string) => string): SessionEvent {
  // Rather nothing than a secret.
  return redactJson(event, redact) ?? ({ ...event, data: {} } as unknown as SessionEvent)
}
