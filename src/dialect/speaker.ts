/** Every dialect by its name. */

import type { Billing, DialectName } from '../protocol/dialect-name.js'
import type { Delta, SessionEvent } from '../protocol/event.js'
import { speak } from './dialect.js'
import { managerDialect } from './manager.js'
import { unifiedDialect } from './unified.js'

/** An event of a dialect, and the session that it is about: one stream may carry several. */
export type Spoken = object & { sessionId: string }

/** Translates events for one reader. Remembers what that reader has got, so each reader needs its own. */
export type Speaker = (event: SessionEvent | Delta) => readonly Spoken[]

export function createSpeaker(name: DialectName, billing: Billing): Speaker {
  const translate: (event: SessionEvent | Delta) => readonly object[] =
    name === 'manager' ? speak(managerDialect) : speak(unifiedDialect(billing))
  return (event) => translate(event).map((theirs) => ({ ...theirs, sessionId: event.sessionId }))
}
