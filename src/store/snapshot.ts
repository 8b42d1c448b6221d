/** Reads stored snapshots: detects those of older versions or damaged ones, and rebuilds them. */

import { LOCAL_MACHINE } from '../protocol/choice.js'
import type { SessionEvent } from '../protocol/event/event.js'
import { Session } from '../protocol/session.js'
import { nameFromPrompt } from '../protocol/view/session-name.js'
import { applyEvents, nothingHappened } from '../protocol/view/view.js'

/** Required fields only: a missing optional field says nothing about the version. */
const FIELDS = Object.entries(Session.shape).flatMap(([name, field]) =>
  field.safeParse(undefined).success ? [] : [name],
)

/** Null if an older version wrote it, or if it is damaged. `isThorough`: validates every field. */
export function readSnapshot(text: string, isThorough: boolean): Session | null {
  const value = parse(text)
  if (value === null || !FIELDS.every((field) => field in value)) return null
  if (isThorough && !Session.safeParse(value).success) return null
  return value as unknown as Session // Cast: validated when it was written, or just now.
}

/**
 * Rebuilds a snapshot from the log. If the beginning of the log was trimmed, keeps the fields of the old snapshot and
 * fills in the missing ones.
 */
export function rebuildSnapshot(text: string, events: readonly SessionEvent[]): Session | null {
  const [first] = events
  if (first?.type === 'session.created') return applyEvents(null, events)
  const old = parse(text)
  const filled = Session.safeParse({ ...EMPTY, name: oldName(old), ...old })
  return filled.success ? filled.data : null
}

/** The first prompt is gone with the log: the last one is the next best. */
function oldName(old: Record<string, unknown> | null): string | null {
  const { title, lastPrompt } = old ?? {}
  if (typeof title === 'string') return title
  return typeof lastPrompt === 'string' ? nameFromPrompt(lastPrompt) : null
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}

/** Defaults for missing fields. Identity fields (id, kind, folder) have none: they cannot be invented. */
const EMPTY: Partial<Session> = {
  ...nothingHappened,
  title: null,
  externalId: null,
  machine: LOCAL_MACHINE,
  model: null,
  parentId: null,
  parentToolUseId: null,
  claudeSessionId: null,
  agent: null,
  policy: null,
  options: {},
}
