import { memo } from 'react'
import type { InboxRequest, Session } from '../../../../src/protocol/index.js'
import { count, elapsed, money, t } from '../../i18n/i18n.js'
import { sessionPath } from '../../route.js'
import { useHasRole } from '../../store/state.js'
import { Icon } from '../../ui/icon.js'
import { Link } from '../../ui/link.js'
import { printable } from '../../ui/printable.js'
import { useAttempt } from '../../ui/use-attempt.js'
import { useNow } from '../../ui/use-now.js'
import { remedyOf } from '../condition-label.js'
import {
  contextShort,
  folderName,
  lastMessage,
  modelName,
  sessionName,
  statusClass,
  statusSince,
  statusText,
} from '../session-label.js'
import { continueSession } from './bulk.js'

interface RowProps {
  session: Session
  /** Its oldest pending request. */
  request: InboxRequest | undefined
  isOpen: boolean
}

/** One session in the list: a link to it, with the actions that apply beside the link. */
export const Row = memo(function Row({ session, request, isOpen }: RowProps) {
  return (
    <div className={`row-box ${statusClass(session)}`}>
      <Link
        id={`row-${session.id}`}
        to={sessionPath(session.id)}
        className={`session-row ${session.state} ${statusClass(session)}`}
        aria-current={isOpen ? 'true' : undefined}
      >
        <span className={`status-dot ${statusClass(session)}`} aria-hidden="true" />
        <span className="title truncate">{printable(sessionName(session))}</span>
        <Elapsed at={statusSince(session, request)} />
        <LastMessage session={session} />
        <span className="status truncate">
          {printable(statusText(session, request))}
          {session.state === 'idle' && session.condition === null && session.lastText !== null && (
            <span className="preview"> · {printable(session.lastText)}</span>
          )}
        </span>
        <Facts session={session} />
      </Link>
      <Remedy session={session} />
    </div>
  )
})

function Facts({ session }: { session: Session }) {
  const agents = Object.keys(session.agents).length
  const tasks = Object.keys(session.tasks).length
  return (
    <span className="facts truncate">
      {session.pendingRequests.length > 1 && <span>{count('requests', session.pendingRequests.length)}</span>}
      <span>{printable(folderName(session.cwd))}</span>
      {session.branch !== null && <span>{printable(session.branch)}</span>}
      {session.model !== null && <span>{printable(modelName(session.model))}</span>}
      {session.turns > 0 && <span>{contextShort(session)}</span>}
      {session.costUsd > 0 && <span>{money(session.costUsd)}</span>}
      {agents > 0 && <span>{count('agents', agents)}</span>}
      {tasks > 0 && <span>{count('tasks', tasks)}</span>}
      {session.queue.length > 0 && <span>{count('queued', session.queue.length)}</span>}
      {session.kind === 'observed' && <span>{t('observed')}</span>}
    </span>
  )
}

/** Continue or Retry, where it applies. */
function Remedy({ session }: { session: Session }) {
  const mayAct = useHasRole('operator')
  const attempt = useAttempt(() => continueSession(session.id))
  const remedy = remedyOf(session)
  if (!mayAct || remedy === null) return null
  return (
    <span className="row-actions">
      <button type="button" disabled={attempt.isBusy} onClick={attempt.run}>
        <Icon name="play" /> {remedy === 'continue' ? t('continue') : t('list.retry')}
      </button>
      {attempt.problem && <span role="alert">{attempt.problem}</span>}
    </span>
  )
}

/** The second line: the name says what the session is for, this what was asked last. */
function LastMessage({ session }: { session: Session }) {
  const text = lastMessage(session)
  if (text === null) return null
  return (
    <span className="last-message truncate">
      <span className="visually-hidden">{t('list.last_message')}: </span>
      {printable(text)}
    </span>
  )
}

function Elapsed({ at }: { at: string }) {
  const now = useNow()
  return (
    <time className="since" dateTime={at}>
      {elapsed(now - Date.parse(at))}
    </time>
  )
}
