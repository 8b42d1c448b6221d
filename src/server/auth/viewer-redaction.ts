/** What somebody who may only look is shown: without the secrets that are recognised in it, and without what is being written. */

import type { Published } from '../../journal/journal.js'
import { redactJson, redactJsonInSlices, type SecretBook } from '../../lib/redact/secret-book.js'
import type { SessionEvent } from '../../protocol/event/event.js'
import type { Identity } from './credentials.js'

export interface Veil {
  /** A reply without fragments: half a secret is not recognised. */
  whole(reply: unknown): unknown
  /** A reply as JSON. A long one takes several turns of the event loop. */
  text(json: string): Promise<string>
  /** For replies that may repeat what was asked. */
  echo(json: string): Promise<string>
  /** The same for every reader: it is made once. Null if it is too long to be made at once. */
  item(item: Published): Published | null
  longItem(item: Published): Promise<Published>
}

type Redaction = Pick<SecretBook, 'redact' | 'redactInSlices' | 'redactEchoInSlices'>

/** Characters of an event that are redacted at once. */
const SHORT_ITEM = 16_384

export function createVeil({ redact, redactInSlices, redactEchoInSlices }: Redaction): Veil {
  const made = new WeakMap<Published, Published>()
  const being = new WeakMap<Published, Promise<Published>>()

  async function make(item: Published): Promise<Published> {
    const event = await redactJsonInSlices<Published['event']>(item.event, redactInSlices)
    const veiled = { ...item, event: event ?? emptied(item.event) } as Published // The same kind of event.
    made.set(item, veiled)
    return veiled
  }

  return {
    whole: withoutFragments,
    text: redactInSlices,
    echo: redactEchoInSlices,
    item(item) {
      if (item.position === undefined) return item
      const known = made.get(item)
      if (known) return known
      if (JSON.stringify(item.event).length > SHORT_ITEM) return null
      const veiled = { ...item, event: redactJson(item.event, redact) ?? emptied(item.event) } as Published
      made.set(item, veiled)
      return veiled
    },
    longItem(item) {
      const known = made.get(item)
      if (known) return Promise.resolve(known)
      const making = being.get(item) ?? make(item)
      being.set(item, making)
      return making
    },
  }
}

/** Who may act sees everything: an answer must be about what really is. */
export function veilFor({ role }: Identity, veil: Veil): Veil | null {
  return role === 'viewer' ? veil : null
}

/** Rather nothing than a secret. */
function emptied(event: Published['event']): SessionEvent {
  return { ...event, data: {} } as unknown as SessionEvent
}

/** Snapshots have what is being written right now. */
function withoutFragments(reply: unknown): unknown {
  if (typeof reply !== 'object' || reply === null) return reply
  const { session, sessions } = reply as { session?: unknown; sessions?: unknown }
  return {
    ...reply,
    ...(session !== undefined && { session: withoutPartial(session) }),
    ...(Array.isArray(sessions) && { sessions: sessions.map(withoutPartial) }),
  }
}

function withoutPartial(session: unknown): unknown {
  const hasPartial = typeof session === 'object' && session !== null && 'partial' in session
  return hasPartial ? { ...session, partial: null } : session
}
