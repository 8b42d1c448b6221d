import type { PolicyInForce, PolicyRule } from '../../../src/protocol/index.js'
import { Link } from '../part/link.js'
import { printable } from '../part/printable.js'
import { sessionPath } from '../route.js'
import { nameOf } from '../session/session-word.js'
import { client, useRole, useStore } from '../store/state.js'
import { useAttempt } from '../use-attempt.js'
import { useLoaded } from '../use-loaded.js'
import { dateTime, t } from '../word/word.js'
import { verdictName } from './backtest-table.js'
import { PolicyEditor } from './editor.js'
import { TryCall } from './try-call.js'

/** What decides about tool calls: to read, to try, to change, and to see what it would have changed. */
export function PolicyView() {
  const policy = useLoaded(() => client.getPolicy())
  const isAdmin = useRole('admin')
  return (
    <div className="page">
      <header>
        <h1>{t('nav.policy')}</h1>
        <p>{t('policy.explained')}</p>
      </header>
      {policy.problem && <p role="alert">{policy.problem}</p>}
      {policy.value && (
        <>
          <Rules inForce={policy.value} />
          <TryCall />
          <PolicyEditor
            key={JSON.stringify(policy.value.policy)}
            inForce={policy.value}
            mayKeep={isAdmin}
            onKept={policy.reload}
          />
        </>
      )}
      <Grants />
    </div>
  )
}

function Rules({ inForce: { policy, path, always } }: { inForce: PolicyInForce }) {
  return (
    <section className="card panel" aria-label={t('policy.rules')}>
      <h2>{t('policy.rules')}</h2>
      <p>
        <span className="badge">{policy.preset}</span> {t(`preset.${policy.preset}`)}
      </p>
      <p className="soft">
        {t('policy.kept')} <code>{path}</code>
      </p>
      {policy.rules.length === 0 ? (
        <p className="soft">{t('policy.none')}</p>
      ) : (
        <RuleList rules={policy.rules} />
      )}
      {always.length > 0 && (
        <details>
          <summary>{t('policy.always')}</summary>
          <RuleList rules={always} />
        </details>
      )}
    </section>
  )
}

function RuleList({ rules }: { rules: readonly PolicyRule[] }) {
  return (
    <ol className="things rules">
      {rules.map((rule) => (
        <li key={rule.name}>
          <span className={`badge ${{ allow: 'green', ask: 'amber', deny: 'red' }[rule.verdict]}`}>
            {verdictName(rule.verdict)}
          </span>{' '}
          <strong>{printable(rule.name)}</strong> <span className="soft">{printable(rule.reason ?? '')}</span>
          <p>
            <code>{conditions(rule.when)}</code>
          </p>
        </li>
      ))}
    </ol>
  )
}

function conditions(when: PolicyRule['when']): string {
  const parts = Object.entries(when).map(([name, values]) => `${name}: ${values.join(', ')}`)
  return parts.length === 0 ? t('policy.every_call') : printable(parts.join(' · '))
}

/** What people have allowed for the rest of a session. */
function Grants() {
  const sessions = useStore((state) => state.sessions)
  const held = [...sessions.values()].filter(({ grants, state }) => grants.length > 0 && state !== 'ended')
  return (
    <section className="card panel" aria-label={t('grants')}>
      <h2>{t('grants')}</h2>
      <p className="soft">{held.length === 0 ? t('grants.none') : t('grants.explained')}</p>
      <ul className="things">
        {held.flatMap((session) =>
          session.grants.map((grant) => (
            <GrantRow
              key={`${session.id} ${grant.tool} ${grant.command ?? ''}`}
              sessionId={session.id}
              name={nameOf(session)}
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
  grant: { tool: string; command?: string | undefined; until?: string | undefined }
}

function GrantRow({ sessionId, name, grant: { tool, command, until } }: GrantRowProps) {
  const mayAct = useRole('operator')
  const revoke = useAttempt(() =>
    client.revokeGrant({
      params: { id: sessionId },
      body: { tool, ...(command !== undefined && { command }) },
    }),
  )
  return (
    <li className="row">
      <span className="grow">
        <code>{printable(command === undefined ? tool : `${tool}: ${command}`)}</code>
        <small className="soft">
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
