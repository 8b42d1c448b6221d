/** Stops a session: an event says so, which cannot be lost, and the runner is waited for where there is one. */

import type { Bus } from '../bus/port.js'
import type { Journal } from '../journal/journal.js'
import { HubError } from '../protocol/error.js'
import type { ReasonPart } from '../protocol/reason/reason-part.js'
import type { Outcome } from '../protocol/value.js'

export async function stopSession(
  { journal, bus }: { journal: Journal; bus: Bus },
  sessionId: string,
  { outcome = 'interrupted', ...why }: { reason: string; reasonParts?: ReasonPart[]; outcome?: Outcome },
): Promise<void> {
  await journal.append(sessionId, [{ type: 'session.stopping', data: { outcome, ...why } }])
  await bus.call({ type: 'session.stop', sessionId })
}

/** Without a runner there is nothing to wait for. */
export function unlessNoRunner(error: unknown): false {
  if (error instanceof HubError && error.code === 'session_not_driven') return false
  throw error
}
