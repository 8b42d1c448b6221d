/** Events and answers as a viewer gets them: known secrets redacted, and without text that is still being written. */

import type { Published } from '../../journal/journal.js'
import { redactJson, redactJsonInSlices, redactJsonText } from '../../lib/redact/redact-json.js'
import type { SecretSet } from '../../lib/redact/secret-set.js'
import type { Identity } from './credentials.js'

export interface ViewerRedaction {
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

type Redaction = Pick<SecretSet, 'redact' | 'redactInSlices' | 'redactEchoInSlices'>

/** Characters of an event that are redacted at once. */
const SHORT_ITEM = 16_384

export function createViewerRedaction({
  redact,
  redactInSlices,
  redactEchoInSlices,
}: Redaction): ViewerRedaction {
  const made = new WeakMap<Published, Published>()
  const being = new WeakMap<Published, Promise<Published>>()

  async function make(item: Published): Promise<Published> {
    const event = await redactJsonInSlices(item.event, redactInSlices)
    const redacted = { ...item, event } as Published // The same kind of event.
    made.set(item, redacted)
    return redacted
  }

  return {
    whole: withoutFragments,
    text: (json) => redactJsonText(json, redactInSlices),
    echo: (json) => redactJsonText(json, redactEchoInSlices),
    item(item) {
      if (item.position === undefined) return item
      const known = made.get(item)
      if (known) return known
      if (JSON.stringify(item.event).length > SHORT_ITEM) return null
      const redacted = { ...item, event: redactJson(item.event, redact) } as Published
      made.set(item, redacted)
      return redacted
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

/** Operators and admins see everything: a decision must be about the real call. */
export function redactionFor({ role }: Identity, redaction: ViewerRedaction): ViewerRedaction | null {
  return role === 'viewer' ? redaction : null
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
