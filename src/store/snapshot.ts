/** Snapshots as they are stored: whether one is as this version writes it, and what can be made of one that is not. */

import type { SessionEvent } from '../protocol/event/event.js'
import { Session } from '../protocol/session.js'
import { applyEvents, nothingHappened } from '../protocol/view/view.js'

/** Those that every snapshot has: a field that may be missing says nothing about the version. */
const FIELDS = Object.entries(Session.shape).flatMap(([name, field]) =>
  field.safeParse(undefined).success ? [] : [name],
)

/** Null for one that an earlier version has written, or that is broken. `isThorough`: down to the last field. */
export function readSnapshot(text: string, isThorough: boolean): Session | null {
  const value = parse(text)
  if (value === null || !FIELDS.every((field) => field in value)) return null
  if (isThorough && !Session.safeParse(value).success) return null
  return value as unknown as Session // It was checked when it was made, or just now.
}

/** From the log. Where its beginning is gone, what the old snapshot says is kept, and what it does not say is empty. */
export function rebuildSnapshot(text: string, events: readonly SessionEvent[]): Session | null {
  const [first] = events
  if (first?.type === 'session.created') return applyEvents(null, events)
  const old = parse(text)
  const filled = Session.safeParse({ ...EMPTY, ...old })
  return filled.success ? filled.data : null
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}

/** Fields that say nothing when they are not there. What a session is cannot be made up. */
const EMPTY: Partial<Session> = {
  ...nothingHappened,
  title: null,
  externalId: null,
  model: null,
  parentId: null,
  parentToolUseId: null,
  claudeSessionId: null,
  agent: null,
  policy: null,
  options: {},
}
