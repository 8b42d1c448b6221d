/** Every dialect by its name. */

import type { Billing, DialectName } from '../protocol/dialect-name.js'
import type { Delta, SessionEvent } from '../protocol/event/event.js'
import { agUiDialect } from './ag-ui.js'
import { speak } from './dialect.js'
import { managerDialect } from './manager.js'
import { unifiedDialect } from './unified.js'

/** An event of a dialect, and the session that it is about: one stream may carry several. `externalId`: the caller's own id of it. */
export type TranslatedEvent = object & { sessionId: string; externalId?: string }

/** Translates events for one reader. Remembers what that reader has got, so each reader needs its own. */
export type EventTranslator = (event: SessionEvent | Delta) => readonly TranslatedEvent[]

/** `externalIds`: of sessions that have one already, by our id. */
export function createEventTranslator(
  name: DialectName,
  billing: Billing,
  externalIds: ReadonlyMap<string, string> = new Map(),
): EventTranslator {
  const translate = speakerOf(name, billing)
  const known = new Map(externalIds)
  return (event) => {
    note(known, event)
    const { sessionId } = event
    const externalId = known.get(sessionId)
    const place = { sessionId, ...(externalId !== undefined && { externalId }) }
    return translate(event).map((theirs) => ({ ...theirs, ...place }))
  }
}

function speakerOf(name: DialectName, billing: Billing): (event: SessionEvent | Delta) => readonly object[] {
  switch (name) {
    case 'manager':
      return speak(managerDialect)
    case 'unified':
      return speak(unifiedDialect(billing))
    case 'ag-ui':
      return speak(agUiDialect)
  }
}

function note(known: Map<string, string>, event: SessionEvent | Delta): void {
  if (event.type !== 'session.created' && event.type !== 'session.changed') return
  const { externalId } = event.data
  if (externalId === null) known.delete(event.sessionId)
  else if (externalId !== undefined) known.set(event.sessionId, externalId)
}
