import type { InboxRequest, Session } from '../../../src/protocol/index.js'
import { compact, count, t } from '../i18n/i18n.js'
import { waitingLabel } from '../notify.js'
import { sessionPath, TABS, type Tab } from '../route.js'
import { useStore } from '../store/state.js'
import { Icon } from '../ui/icon.js'
import { Link } from '../ui/link.js'
import { printable } from '../ui/printable.js'
import { SessionControls } from './session-controls.js'
import {
  contextShort,
  contextWindow,
  costLabel,
  folderName,
  lastMessage,
  sessionName,
  statusClass,
  statusText,
} from './session-label.js'
import { SessionSettings } from './session-settings.js'

const NEARLY_FULL = 0.8

interface HeadingProps {
  session: Session
  request: InboxRequest | undefined
  tab: Tab
  /** Gets the place for the buttons of the open tab. */
  onToolbar(element: HTMLElement | null): void
}

export function Heading({ session, request, tab, onToolbar }: HeadingProps) {
  const message = lastMessage(session)
  const tokens =
    session.usage.inputTokens + session.usage.cacheReadInputTokens + session.usage.cacheCreationInputTokens
  return (
    <header className="heading">
      <div className="heading-top">
        <Link to="/" className="button plain icon-only phone-only" aria-label={t('back')}>
          <Icon name="back" />
        </Link>
        <OtherRequests sessionId={session.id} />
        <div className="grow">
          <h1 className="truncate">{printable(sessionName(session))}</h1>
          {message !== null && (
            <p className="last-message truncate">
              <span className="visually-hidden">{t('list.last_message')}: </span>
              {printable(message)}
            </p>
          )}
          <p className="status-line">
            <span className={`status-dot ${statusClass(session)}`} aria-hidden="true" />
            <span className="truncate">{printable(statusText(session, request))}</span>
          </p>
        </div>
        <SessionControls session={session} />
      </div>
      {session.completion && (
        <p className={session.completion.success ? 'completion' : 'completion failed'}>
          {t(session.completion.success ? 'agent.completed' : 'agent.not_completed', {
            result: printable(session.completion.result.slice(0, 400)),
          })}
        </p>
      )}
      <div className="heading-facts">
        <code className="truncate" title={session.cwd}>
          {printable(session.cwd)}
        </code>
        <span className="phone-facts truncate">{shortFacts(session)}</span>
        {session.branch !== null && (
          <span className="git-branch truncate" title={t('branch')}>
            <Icon name="branch" />
            <span className="visually-hidden">{t('branch')}: </span>
            {printable(session.branch)}
          </span>
        )}
        {session.externalId !== null && (
          <span className="truncate" title={t('external_id')}>
            <span className="visually-hidden">{t('external_id')}: </span>
            {printable(session.externalId)}
          </span>
        )}
        <SessionSettings session={session} />
        <span className="numbers">
          <ContextUse session={session} />
          {session.turns > 0 && (
            <>
              <span>{costLabel(session)}</span>
              <span title={t('tokens.explained')}>
                {compact(tokens)} {t('tokens.in')} · {compact(session.usage.outputTokens)} {t('tokens.out')}
              </span>
              <span>{count('turns', session.turns)}</span>
            </>
          )}
        </span>
      </div>
      <div className="tab-line">
        <nav className="tabs" aria-label={t('tabs')}>
          {TABS.map((name) => (
            <Link
              key={name}
              to={sessionPath(session.id, name)}
              aria-current={name === tab ? 'page' : undefined}
            >
              {t(`tab.${name}`)}
            </Link>
          ))}
        </nav>
        <span ref={onToolbar} />
      </div>
    </header>
  )
}

/** On a phone, which has no room for more. */
function shortFacts(session: Session): string {
  const facts = session.turns > 0 ? [contextShort(session), costLabel(session)] : []
  return printable([folderName(session.cwd), ...facts].join(' · '))
}

/** The way to the requests of other sessions: a phone shows no navigation beside a session. */
function OtherRequests({ sessionId }: { sessionId: string }) {
  const requests = useStore((state) => state.requests)
  const others = [...requests.values()].filter((request) => request.sessionId !== sessionId).length
  if (others === 0) return null
  return (
    <Link
      to="/inbox"
      className="button plain icon-only phone-only other-requests"
      aria-label={waitingLabel(others)}
    >
      <Icon name="inbox" />
      <span className="count" aria-hidden="true">
        {others}
      </span>
    </Link>
  )
}

/** Context usage as a gauge and as text. */
function ContextUse({ session }: { session: Session }) {
  const { contextTokens: tokens } = session
  const window = contextWindow(session)
  const part = tokens !== null && window !== null ? Math.min(1, tokens / window) : null
  return (
    <span className="context-use" title={t('context.explained')}>
      {t('context')}{' '}
      {part !== null && (
        <span className="gauge" aria-hidden="true">
          <span
            className={part > NEARLY_FULL ? 'gauge-fill full' : 'gauge-fill'}
            style={{ width: `${part * 100}%` }}
          />
        </span>
      )}
      {tokens === null
        ? t('unknown')
        : window === null
          ? compact(tokens)
          : t('context.of', { used: compact(tokens), all: compact(window) })}
    </span>
  )
}
