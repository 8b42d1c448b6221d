/**
 * Changes of sessions in terminals. Hooks report only the start and the end of a turn, and wait for nothing: what
 * changed in between counts as a change of the turn, also if a user made it.
 */

import type { Journal } from '../journal/journal.js'
import type { SessionEvent } from '../protocol/event/event.js'
import type { RunnerStore } from '../store/port/runner-store.js'
import type { Changes } from './changes.js'
import type { OpenWorkspace } from './open-workspace.js'

export interface TerminalChangesDeps {
  changes: Pick<Changes, 'at'>
  journal: Journal
  store: Pick<RunnerStore, 'session'>
}

/** Follows the logs of all sessions from now on. Failures are silent: no call waits for a record, and none was promised. */
export function followTerminals({ changes, journal, store }: TerminalChangesDeps): { close(): void } {
  const note = async (event: SessionEvent) => {
    if (event.type !== 'turn.started' && event.type !== 'turn.ended') return
    const session = await store.session(event.sessionId)
    const workspace = session?.kind === 'observed' ? changes.at(session.cwd) : null
    if (workspace)
      await noteTurn(workspace, event.sessionId, event.data.turnId, event.type === 'turn.started')
  }
  return journal.subscribe({
    deliver: (items) => {
      for (const { event } of items) if ('seq' in event) note(event).catch(() => {})
    },
  })
}

async function noteTurn(
  { changes }: OpenWorkspace,
  sessionId: string,
  turnId: string,
  isStart: boolean,
): Promise<void> {
  const call = { sessionId, turnId, toolUseId: turnId }
  if (isStart) await changes.before({ ...call, targets: null, isBackground: true, isTerminal: true })
  else await changes.after(call)
}
