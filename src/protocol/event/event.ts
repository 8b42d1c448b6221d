/** The one event model: every fact that a session's log can hold, and the fragments that are only passed on. */

import { z } from 'zod'
import { EventId, SessionId } from '../id.js'
import { Timestamp } from '../value.js'
import { contentEvents, deltas } from './content-event.js'
import { recordEvents } from './record-event.js'
import { requestEvents } from './request-event.js'
import { sessionEvents } from './session-event.js'

/** What a source produces: a type and its data. The journal adds the rest. */
export const EventDraft = z.discriminatedUnion('type', [
  ...sessionEvents,
  ...contentEvents,
  ...requestEvents,
  ...recordEvents,
])
export type EventDraft = z.infer<typeof EventDraft>
export type EventType = EventDraft['type']

export const DeltaDraft = z.discriminatedUnion('type', [...deltas])
export type DeltaDraft = z.infer<typeof DeltaDraft>
export type DeltaType = DeltaDraft['type']

interface Stamp {
  sessionId: string
  at: string
}

/** One immutable fact in a session's log. `seq` counts from 1 without a gap. */
export type SessionEvent = EventDraft & Stamp & { seq: number; id: string }
export type EventOf<Type extends EventType> = SessionEvent & { type: Type }
export type DataOf<Type extends EventType> = (EventDraft & { type: Type })['data']

/** A passing fragment of what is being written. Never stored, has no `seq`. */
export type Delta = DeltaDraft & Stamp

/** An event as a client of another version may meet it: the envelope is sure, type and data are not. */
export const EventEnvelope = z.looseObject({
  seq: z.int().min(1).optional(),
  id: EventId.optional(),
  sessionId: SessionId,
  at: Timestamp,
  type: z.string(),
  data: z.record(z.string(), z.unknown()),
})

export const eventTypes: readonly EventType[] = EventDraft.options.map((option) => option.shape.type.value)
export const deltaTypes: readonly DeltaType[] = DeltaDraft.options.map((option) => option.shape.type.value)

export function isDelta(event: SessionEvent | Delta): event is Delta {
  return !('seq' in event)
}
