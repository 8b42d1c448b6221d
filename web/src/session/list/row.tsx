import { memo } from 'react'
import type { InboxRequest, Session } from '../../../../src/protocol/index.js'
import { count, elapsed, money, t } from '../../i18n/i18n.js'
import { sessionPath } from '../../route.js'
import { useHasRole } from '../../store/state.js'
import { Icon, type IconName } from '../../ui/icon.js'
import { Link } from '../../ui/link.js'
import { printable } from '../../ui/printable.js'
import { useAttempt } from '../../ui/use-attempt.js'
import { useNow } from '../../ui/use-now.js'
import { remedyOf } from '../condition-label.js'
import {
  contextShort,
  folderName,
  lastMessage,
  latestText,
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
  /** Null unless sessions are being selected. */
  isSelected: boolean | null
  onToggle(id: string): void
}

/** One session in the list: a link to it, with the actions that apply beside the link. */
export const Row = memo(function Row({ session, request, isOpen, isSelected, onToggle }: RowProps) {
  return (
    <div className={isSelected === null ? 'row-box' : 'row-box selecting'}>
      {isSelected !== null && (
        <input
          type="checkbox"
          checked={isSelected}
          aria-label={t('list.select_one', { name: printable(sessionName(session)) })}
          onChange={() => onToggle(session.id)}
        />
      )}
      <Link
        id={`row-${session.id}`}
        to={sessionPath(session.id)}
        className={`session-row ${session.state} ${statusClass(session)}`}
        aria-current={isOpen ? 'true' : undefined}
      >
        <span className={`status-dot ${statusClass(session)}`} aria-hidden="true" />
        <span className="title truncate">
          {session.isPinned && <Mark text={t('list.pinned')} icon="pin" />}
          {session.isArchived && <Mark text={t('list.archived')} icon="archive" />}
          {session.isMuted && <Mark text={t('list.muted')} icon="bell" />}
          {printable(sessionName(session))}
        </span>
        <Elapsed at={statusSince(session, request)} />
        <LastMessage session={session} />
        <span className="status truncate">
          {printable(statusText(session, request))}
          {latestText(session) !== null && (
            <span className="preview"> · {printable(latestText(session) ?? '')}</span>
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
      {Object.keys(session.overlaps).length > 0 && session.state !== 'ended' && (
        <span className="overlap">
          {count('list.overlaps', Math.max(...Object.values(session.overlaps)))}
        </span>
      )}
      {session.tags.map((tag) => (
        <span key={tag} className="tag">
          {printable(tag)}
        </span>
      ))}
    </span>
  )
}

function Mark({ text, icon }: { text: string; icon: IconName }) {
  return (
    <>
      <Icon name={icon} />
      <span className="visually-hidden">{text} </span>
    </>
  )
}

/** Continue or Retry, where it applies. */
export function Remedy({ session }: { session: Session }) {
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
