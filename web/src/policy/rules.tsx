import type { PolicyInForce, PolicyRule } from '../../../src/protocol/index.js'
import { dateTime, t } from '../i18n/i18n.js'
import { client, useHasRole } from '../store/state.js'
import { printable } from '../ui/printable.js'
import { useLoaded } from '../ui/use-loaded.js'
import { verdictLabel } from './backtest-table.js'
import { PolicyEditor } from './editor.js'
import { Grants } from './grants.js'
import { TryCall } from './try-call.js'

/** Shows the rules, tests a call against them, and edits them with a backtest before saving. */
export function RulesTab() {
  const policy = useLoaded(() => client.getPolicy())
  const isAdmin = useHasRole('admin')
  const mayAct = useHasRole('operator')
  return (
    <>
      {policy.problem && <p role="alert">{policy.problem}</p>}
      {policy.value && (
        <>
          <Rules inForce={policy.value} />
          {mayAct && <TryCall />}
          <PolicyEditor
            key={JSON.stringify(policy.value.policy)}
            inForce={policy.value}
            maySave={isAdmin}
            onSaved={policy.reload}
          />
        </>
      )}
      <Grants />
    </>
  )
}

function Rules({ inForce: { policy, path, always } }: { inForce: PolicyInForce }) {
  return (
    <section className="card panel" aria-label={t('policy.rules')}>
      <h2>{t('policy.rules')}</h2>
      <p>
        <span className="badge">{policy.preset}</span> {t(`preset.${policy.preset}`)}
      </p>
      <p className="muted">
        {t('policy.stored_in')} <code>{path}</code>
      </p>
      {policy.rules.length === 0 ? (
        <p className="muted">{t('policy.none')}</p>
      ) : (
        <RuleList rules={policy.rules} />
      )}
      {always.length > 0 && (
        <details>
          <summary>{t('policy.built_in')}</summary>
          <RuleList rules={always} />
        </details>
      )}
    </section>
  )
}

function RuleList({ rules }: { rules: readonly PolicyRule[] }) {
  return (
    <ol className="item-list rules">
      {rules.map((rule) => (
        <li key={rule.name}>
          <span className={`badge ${{ allow: 'green', ask: 'amber', deny: 'red' }[rule.verdict]}`}>
            {verdictLabel(rule.verdict)}
          </span>{' '}
          <strong>{printable(rule.name)}</strong>{' '}
          <span className="muted">
            {printable(rule.reason ?? '')}
            {rule.until !== undefined && ` ${endLabel(rule.until)}`}
          </span>
          <p>
            <code>{conditions(rule.when)}</code>
          </p>
        </li>
      ))}
    </ol>
  )
}

function endLabel(until: string): string {
  const isOver = Date.parse(until) <= Date.now()
  return t(isOver ? 'policy.rule_ended' : 'grants.until', { time: dateTime(until) })
}

function conditions(when: PolicyRule['when']): string {
  const parts = Object.entries(when).map(([name, values]) => `${name}: ${values.join(', ')}`)
  return parts.length === 0 ? t('policy.every_call') : printable(parts.join(' · '))
}
