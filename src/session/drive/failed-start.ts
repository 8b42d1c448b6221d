/** No process could be started: what waited for one is cancelled, with the reason. */

import type { Journal } from '../../journal/journal.js'
import { HubError } from '../../protocol/error.js'
import type { DataOf } from '../../protocol/event/event.js'
import type { Cancellations } from './cancellation.js'

export interface FailedStartDeps {
  journal: Journal
  cancellations: Pick<Cancellations, 'cancelAll'>
  onFault(error: unknown): void
}

export async function recordFailedStart(
  sessionId: string,
  error: unknown,
  { journal, cancellations, onFault }: FailedStartDeps,
): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error)
  const data: DataOf<'error.raised'> =
    error instanceof HubError
      ? { code: error.code, message: error.message }
      : { code: 'claude_failed', message: `Claude Code could not be started: ${reason}` }
  try {
    const session = await journal.session(sessionId)
    if (!session) return
    await journal.append(sessionId, [{ type: 'error.raised', data }])
    await cancellations.cancelAll(session, 'Claude Code could not be started.')
  } catch (fault) {
    onFault(fault)
  }
}
