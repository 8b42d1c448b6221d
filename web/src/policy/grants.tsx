import type { Grant } from '../../../src/protocol/index.js'
import { dateTime, t } from '../i18n/i18n.js'
import { sessionPath } from '../route.js'
import { sessionName } from '../session/session-label.js'
import { client, useHasRole, useStore } from '../store/state.js'
import { Link } from '../ui/link.js'
import { printable } from '../ui/printable.js'
import { useAttempt } from '../ui/use-attempt.js'
import { grantLabel } from './grant-label.js'

/** Permissions granted until the end of a session. */
export function Grants() {
  const sessions = useStore((state) => state.sessions)
  const granting = [...sessions.values()].filter(
    ({ grants, state }) => grants.length > 0 && state !== 'ended',
  )
  return (
    <section className="card panel" aria-label={t('grants')}>
      <h2>{t('grants')}</h2>
      <p className="muted">{granting.length === 0 ? t('grants.none') : t('grants.explained')}</p>
      <ul className="item-list">
        {granting.flatMap((session) =>
          session.grants.map((grant) => (
            <GrantRow
              key={`${session.id} ${JSON.stringify(grant)}`}
              sessionId={session.id}
              name={sessionName(session)}
              grant={grant}
            />
          )),
        )}
      </ul>
    </section>
  )
}

interface GrantRowProps {
  sessionId: string
  name: string
  grant: Grant
}

function GrantRow({ sessionId, name, grant }: GrantRowProps) {
  const { tool, command, until } = grant
  const mayAct = useHasRole('operator')
  const revoke = useAttempt(() =>
    client.revokeGrant({
      params: { id: sessionId },
      body: { tool, ...(command !== undefined && { command }) },
    }),
  )
  return (
    <li className="row">
      <span className="grow">
        <code>{grantLabel(grant)}</code>
        <small className="muted">
          <Link to={sessionPath(sessionId)}>{printable(name)}</Link>
          {until !== undefined && ` · ${t('grants.until', { time: dateTime(until) })}`}
        </small>
      </span>
      {revoke.problem && <span role="alert">{revoke.problem}</span>}
      {mayAct && (
        <button type="button" disabled={revoke.isBusy} onClick={revoke.run}>
          {t('tokens.revoke')}
        </button>
      )}
    </li>
  )
}
