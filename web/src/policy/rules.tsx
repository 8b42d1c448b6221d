import type { PolicyInForce } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { client, useHasRole } from '../store/state.js'
import { useLoaded } from '../ui/use-loaded.js'
import { PolicyEditor } from './editor/policy-editor.js'
import { RuleList } from './editor/rule-list.js'
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
          {mayAct ? (
            <PolicyEditor
              key={JSON.stringify(policy.value.policy)}
              inForce={policy.value}
              maySave={isAdmin}
              onSaved={policy.reload}
            />
          ) : (
            <Rules inForce={policy.value} />
          )}
          {mayAct && <TryCall />}
        </>
      )}
      <Grants />
    </>
  )
}

/** For viewers, who cannot test a change. */
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
      {policy.rules.length === 0 && <p className="muted">{t('policy.none')}</p>}
      <RuleList rules={policy.rules} />
      <details>
        <summary>{t('policy.built_in')}</summary>
        <RuleList rules={always} />
      </details>
    </section>
  )
}
