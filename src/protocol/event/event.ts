/** The event model: every event that a session's log can contain, and the deltas, which are only published. */

import { z } from 'zod'
import { EventId, SessionId } from '../id.js'
import { Timestamp } from '../value.js'
import { contentEvents, deltas } from './content-event.js'
import { notificationEvents } from './notification-event.js'
import { recordEvents } from './record-event.js'
import { requestEvents } from './request-event.js'
import { sessionEvents } from './session-event.js'

/** An event as its source produces it: type and data. The journal adds the envelope. */
export const EventDraft = z.discriminatedUnion('type', [
  ...sessionEvents,
  ...contentEvents,
  ...requestEvents,
  ...notificationEvents,
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

/** An immutable event in a session's log. `seq` starts at 1 and has no gaps. */
export type SessionEvent = EventDraft & Stamp & { seq: number; id: string }
export type EventOf<Type extends EventType> = SessionEvent & { type: Type }
export type DataOf<Type extends EventType> = (EventDraft & { type: Type })['data']

/** A piece of a block that is being written. Never stored, has no `seq`. */
export type Delta = DeltaDraft & Stamp

/** An event as a client of another version may receive it: only the envelope is known. */
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
