/** Where a stream begins. */

import { createEventTranslator, type EventTranslator } from '../../dialect/event-translator.js'
import type { Hub } from '../../hub/port.js'
import type { Billing, DialectName } from '../../protocol/dialect-name.js'
import { type Requested, requestAsEvent } from '../../protocol/request.js'
import type { ViewerRedaction } from '../auth/viewer-redaction.js'

export interface StreamStart {
  sessionIds: string[] | undefined
  after: number
  /** The reader comes from a place that this log never had, as after a restored backup. */
  gap: { after: number; next: number } | null
  /** For a reader without a place to go on from: requests that are pending now. Read later than `after`. */
  pending: AsyncIterable<Requested> | undefined
}

/** Sessions by any of their ids; without a place to go on from, it begins with what is new. */
export async function findStart(
  hub: Hub,
  names: readonly string[] | undefined,
  after: number | undefined,
): Promise<StreamStart> {
  const sessions = names && (await Promise.all(names.map((name) => hub.session(name))))
  const [only] = sessions?.length === 1 ? sessions : []
  const newest = only ? only.lastSeq : await hub.lastPosition()
  const isBeyond = after !== undefined && after > newest
  return {
    sessionIds: sessions?.map((session) => session.id),
    after: isBeyond ? newest : (after ?? newest),
    gap: isBeyond ? { after, next: newest + 1 } : null,
    pending: after === undefined ? pendingIn(hub, only?.id) : undefined,
  }
}

/** A dialect for one reader, from its first event on. */
export async function translatorFor(
  hub: Hub,
  sessionIds: readonly string[] | undefined,
  {
    dialect,
    billing,
    redaction,
  }: { dialect: DialectName; billing: Billing; redaction: ViewerRedaction | null },
): Promise<EventTranslator> {
  const externalIds = await hub.externalIds(sessionIds)
  if (!redaction) return createEventTranslator(dialect, billing, externalIds)
  const shown = new Map<string, string>()
  for (const [id, name] of externalIds) shown.set(id, await redaction.text(name))
  return createEventTranslator(dialect, billing, shown)
}

async function* pendingIn({ inbox }: Hub, sessionId: string | undefined): AsyncGenerator<Requested> {
  for await (const request of inbox.pending(sessionId)) yield requestAsEvent(request)
}
