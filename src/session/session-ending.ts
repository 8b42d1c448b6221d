/** The end of a session's process: closes what it has left open, and records how it ended. */

import type { Asker } from '../inbox/asker.js'
import type { Journal } from '../journal/journal.js'
import { type Reason, reasonText } from '../protocol/reason/reason.js'
import type { ReasonPart } from '../protocol/reason/reason-part.js'
import type { SessionHooks } from './gate/session-hooks.js'
import { hookEnds } from './recovery/recovery-drafts.js'
import type { Recorder } from './translate/recorder.js'

/** How it ended. `isUseful`: the process had begun to work, so another one may take over what is still queued. */
export type Ending = { kind: 'stopped' } | { kind: 'parked' } | ({ kind: 'crashed' } & Crash)

interface Crash {
  isUseful: boolean
  isHung: boolean
  error: string
  /** The same as a code and parameters. */
  why: ReasonPart
  lastWords: string
}

/** Why a process is being ended, where that is on purpose. */
export interface EndPurpose {
  kind: 'stopped' | 'suspended' | 'parked'
  /** A text that is not ours has no code. */
  reason: string | Reason
}

export interface EndingDeps {
  sessionId: string
  journal: Journal
  asker: Asker
  recorder: Recorder
  hooks: Pick<SessionHooks, 'end'>
  onFault(error: unknown): void
}

/** Without a purpose the process has crashed. */
export async function recordEnd(purpose: EndPurpose | null, crash: Crash, deps: EndingDeps): Promise<Ending> {
  const { recorder } = deps
  await endHooks(deps)
  await closeRequests(purpose, deps)
  recorder.record({
    kind: 'closed',
    stopReason: purpose ? 'interrupted' : 'crashed',
    ...(purpose
      ? { errors: [] }
      : { errors: [crash.error, crash.lastWords].filter((text) => text !== ''), why: crash.why }),
  })
  recorder.write([
    { type: 'session.changed', data: { process: purpose?.kind === 'parked' ? 'parked' : 'none' } },
  ])
  await recorder.settled()
  if (purpose) return { kind: purpose.kind === 'parked' ? 'parked' : 'stopped' }
  return { kind: 'crashed', ...crash }
}

/** Ends our hooks, and those of the CLI for which no end will be reported. */
async function endHooks({ sessionId, journal, recorder, hooks, onFault }: EndingDeps): Promise<void> {
  try {
    await hooks.end()
    await recorder.settled()
    const session = await journal.session(sessionId)
    const ends = session ? hookEnds(session, 'The session ended while it ran.') : []
    if (ends.length > 0) recorder.write(ends)
  } catch (error) {
    onFault(error)
  }
}

async function closeRequests(
  purpose: EndPurpose | null,
  { sessionId, asker, onFault }: EndingDeps,
): Promise<void> {
  try {
    if (purpose === null) await asker.park(sessionId, 'Claude Code ended before an answer.')
    else if (purpose.kind === 'suspended') await asker.park(sessionId, textOf(purpose.reason))
    else await asker.withdraw(sessionId, purpose.reason)
  } catch (error) {
    onFault(error)
  }
}

function textOf(why: string | Reason): string {
  return typeof why === 'string' ? why : reasonText([why])
}
