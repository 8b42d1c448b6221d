/** Every dialect by its name. */

import type { Billing, DialectName } from '../protocol/dialect-name.js'
import type { Delta, SessionEvent } from '../protocol/event.js'
import { speak } from './dialect.js'
import { managerDialect } from './manager.js'
import { unifiedDialect } from './unified.js'

/** Tells one reader what happens. Keeps in mind what it has told, so each reader needs one of his own. */
export type Speaker = (event: SessionEvent | Delta) => readonly object[]

export function createSpeaker(name: DialectName, billing: Billing): Speaker {
  return name === 'manager' ? speak(managerDialect) : speak(unifiedDialect(billing))
}
