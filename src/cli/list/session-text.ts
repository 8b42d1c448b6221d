/** A session in a few words: its title, and what it is doing. The only place where the command line chooses these words. */

import type { Session } from '../../protocol/session.js'
import { sessionName } from '../../protocol/view/session-name.js'
import { oneLine } from '../output/text.js'
import { clockText } from '../output/time.js'

export function titleOf(session: Pick<Session, 'title' | 'name' | 'cwd' | 'id'>): string {
  return oneLine(sessionName(session))
}

type Doing = Pick<
  Session,
  | 'state'
  | 'activity'
  | 'condition'
  | 'conditionDetail'
  | 'pendingRequests'
  | 'pendingTools'
  | 'kind'
  | 'isInterrupted'
  | 'outcome'
  | 'queue'
> &
  Partial<Pick<Session, 'overlaps'>>

/** `Waiting for you (2)`, `Running Bash`, `Interrupted by a restart`; for a terminal session with that behind it. */
export function conditionText(session: Doing): string {
  const isShared = session.state !== 'ended' && Object.keys(session.overlaps ?? {}).length > 0
  return `${doingText(session)}${session.kind === 'observed' ? ', terminal' : ''}${isShared ? ', same files as another session' : ''}`
}

function doingText(session: Doing): string {
  const { state, condition, pendingRequests, isInterrupted, outcome, queue } = session
  if (state === 'ended') return outcome === null ? 'Ended' : `Ended, ${outcome}`
  if (pendingRequests.length > 1) return `Waiting for you (${pendingRequests.length})`
  if (pendingRequests.length === 1) return 'Waiting for you'
  if (condition !== null) return namedCondition(session)
  if (state === 'working') return activityText(session)
  if (isInterrupted) return 'Interrupted by a restart'
  if (queue.length > 0) return 'Starting'
  return sentence(state)
}

const CONDITIONS: Readonly<Record<string, string>> = {
  waiting_for_slot: 'Waiting for a slot',
  interrupted: 'Interrupted by a restart',
  rate_limited: 'Rate limited',
  background: 'Background work',
  recording: 'Recording the workspace',
}

function namedCondition({ condition, conditionDetail }: Doing): string {
  const name = CONDITIONS[condition ?? ''] ?? sentence((condition ?? '').replaceAll('_', ' '))
  const { attempt, maxAttempts, until, done, total } = conditionDetail ?? {}
  if (total !== undefined) return `${name} (${done ?? 0} of ${total} files)`
  if (attempt !== undefined)
    return `${name} ${attempt}${maxAttempts === undefined ? '' : ` of ${maxAttempts}`}`
  return until === undefined ? name : `${name} until ${clockText(until, {}, 'minute')}`
}

function activityText({ activity, pendingTools }: Doing): string {
  if (activity === 'thinking') return 'Thinking'
  if (activity === 'responding') return 'Writing'
  const [tool] = Object.values(pendingTools)
  return tool === undefined ? 'Working' : `Running ${oneLine(tool)}`
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
