import { nameFromPrompt, type TerminalSession } from '../../../src/protocol/index.js'
import { compact, count, elapsed, t } from '../i18n/i18n.js'
import { sessionPath } from '../route.js'
import { folderName, modelName, sessionName } from '../session/session-label.js'
import { useStore } from '../store/state.js'
import { Link } from '../ui/link.js'
import { printable } from '../ui/printable.js'
import { useNow } from '../ui/use-now.js'

/** One terminal session: status, folder and usage. */
export function TerminalCard({ terminal }: { terminal: TerminalSession }) {
  const now = useNow()
  const { id, title, lastUserMessage, cwd, model, tokens, gitBranch, turnCount, currentSkill, agents } =
    terminal
  const session = useStore(({ sessions }) => (id === null ? undefined : sessions.get(id)))
  const name = printable(
    session ? sessionName(session) : (title ?? nameFromPrompt(lastUserMessage ?? '') ?? terminal.sessionId),
  )
  const running = agents.filter(({ state }) => state === 'running').length
  return (
    <li className="card terminal">
      <span className={`status-dot ${statusClass(terminal)}`} aria-hidden="true" />
      <div className="grow">
        <p className="truncate">
          {id === null ? <strong>{name}</strong> : <Link to={sessionPath(id)}>{name}</Link>}
        </p>
        <p className="muted">
          {statusText(terminal)}
          {currentSkill && ` · ${t('terminals.skill', { name: printable(currentSkill.skillName) })}`}
        </p>
        <p className="facts">
          {cwd !== null && <span title={cwd}>{printable(folderName(cwd))}</span>}
          {gitBranch !== null && <span>{printable(gitBranch)}</span>}
          {model !== null && <span>{modelName(model)}</span>}
          {turnCount > 0 && <span>{count('turns', turnCount)}</span>}
          {tokens && (
            <span>
              {compact(tokens.input + tokens.cached + tokens.cacheCreation)} {t('tokens.in')} ·{' '}
              {compact(tokens.output)} {t('tokens.out')}
            </span>
          )}
          {running > 0 && <span>{count('agents', running)}</span>}
          {terminal.cpuPercent !== null && (
            <span>
              {Math.round(terminal.cpuPercent)} % CPU · {Math.round(terminal.memMb ?? 0)} MB
            </span>
          )}
        </p>
      </div>
      <time className="since" dateTime={terminal.lastActivityAt}>
        {elapsed(now - Date.parse(terminal.lastActivityAt))}
      </time>
    </li>
  )
}

function statusClass({ state, activityPhase }: TerminalSession): string {
  if (state === 'completed') return 'ended'
  if (activityPhase === 'waiting_permission') return 'permission'
  if (activityPhase === 'waiting_question') return 'question'
  return activityPhase === 'busy' ? 'working' : 'idle'
}

function statusText({ state, activityPhase, waitingFor, endReason }: TerminalSession): string {
  if (state === 'completed')
    return endReason === null ? t('status.ended') : t('ended.because', { reason: printable(endReason) })
  switch (activityPhase) {
    case 'waiting_permission':
      return waitingFor?.toolName
        ? t('status.wants.use', { call: printable(waitingFor.toolName) })
        : t('status.permission')
    case 'waiting_question':
      return t('status.question')
    case 'busy':
      return t('status.working')
    case 'interactable':
      return t('status.idle')
  }
}
