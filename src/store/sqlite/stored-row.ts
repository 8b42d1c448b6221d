/** Parses stored rows. A damaged row is left out or marked, and does not affect others. */

import type { EventDraft } from '../../protocol/event/event.js'
import type { StoredOptions } from '../../protocol/option/option-role.js'
import type { InboxRequest } from '../../protocol/request.js'
import type { StoredEvent } from '../port/append.js'
import type { TranscriptRecord } from '../port.js'

// Rows are not validated again: the store validated them before writing.

export interface EventRow {
  position: number
  sessionId: string
  seq: number
  id: string
  at: number
  type: string
  data: string
}

/** Selects rows of events, without those of sessions that are being deleted. */
export const EVENTS = `SELECT position, session.id AS sessionId, seq, event.id AS id, at, type, data
  FROM event JOIN session ON session.key = event.session AND session.state <> 'deleted'`

export function readEvent({ position, sessionId, seq, id, at, type, data }: EventRow): StoredEvent {
  const draft = { type, data: parse(data) } as EventDraft
  const time = new Date(at)
  const isDated = !Number.isNaN(time.getTime())
  const stored = { seq, id, sessionId, at: (isDated ? time : new Date(0)).toISOString() }
  return {
    position,
    event: draft.data === undefined || !isDated ? { ...stored, ...UNREADABLE } : { ...stored, ...draft },
  }
}

const UNREADABLE: EventDraft = {
  type: 'error.raised',
  data: { code: 'storage_damaged', message: 'This event is damaged in the database.' },
}

/** Null for a damaged row. */
export function readRequest(id: string, text: string): InboxRequest | null {
  const request = parse(text) as InboxRequest | undefined
  return request?.id === id ? request : null
}

/** Null for a damaged row. Older versions stored only the options, so the authority that set them is unknown. */
export function readOptions(text: string): StoredOptions | null {
  const value = parse(text)
  if (value === undefined) return null
  return 'givenBy' in value ? (value as StoredOptions) : { options: value, givenBy: {} }
}

/** Null for a damaged row. */
export function readTranscript(text: string): TranscriptRecord | null {
  const record = parse(text) as TranscriptRecord | undefined
  return record && Array.isArray(record.sums) && Array.isArray(record.marks) ? record : null
}

/** Parses an object; undefined if it is none. */
export function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
