/** What somebody who may only look is shown: without the secrets that are recognised in it. */

import type { Published } from '../journal.js'
import { redactJson, type SecretBook } from '../lib/redact/secret-book.js'
import type { ErrorBody, HubError } from '../protocol/error.js'
import type { SessionEvent } from '../protocol/event.js'
import type { Identity } from './access.js'

export interface Veil {
  text(json: string): string
  /** For replies that may repeat what was asked. */
  echo(json: string): string
  /** The same for every reader: it is made once. */
  item(item: Published): Published
  /** For everybody: what went wrong is often copied into places that others read. */
  error(error: HubError): ErrorBody
}

export function createVeil({ redact, redactEcho }: Pick<SecretBook, 'redact' | 'redactEcho'>): Veil {
  const made = new WeakMap<Published, Published>()
  return {
    text: redact,
    echo: redactEcho,
    error: (error) => redactJson(error.toBody(), redactEcho) ?? bare(error),
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
  return { error: { code, message: 'The message is left out: it contains a secret.', details: {} } }
}

/** Who may act sees everything: an answer must be about what really is. */
export function veilFor({ role }: Identity, veil: Veil): Veil | null {
  return role === 'viewer' ? veil : null
}

function hideIn(event: SessionEvent, redact: (text: string) => string): SessionEvent {
  // Rather nothing than a secret.
  return redactJson(event, redact) ?? ({ ...event, data: {} } as unknown as SessionEvent)
}
