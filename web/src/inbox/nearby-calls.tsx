import type { RuleProposal } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { printable } from '../ui/printable.js'

/** The closest calls that a proposed rule would and would not allow, those that cannot be undone in red. */
export function NearbyCalls({ proposal: { nearby, isCovering } }: { proposal: RuleProposal }) {
  const allowed = nearby.filter(({ before, after }) => before !== 'allow' && after === 'allow')
  const refused = nearby.filter(({ after }) => after !== 'allow')
  return (
    <div className="nearby">
      {!isCovering && <p role="alert">{t('rule.not_covering')}</p>}
      <h3>{t('rule.would_allow')}</h3>
      {allowed.length === 0 ? <p className="muted">{t('rule.nothing_near')}</p> : <Calls calls={allowed} />}
      <details>
        <summary>{t('rule.would_not_allow')}</summary>
        <Calls calls={refused} />
      </details>
    </div>
  )
}

function Calls({ calls }: { calls: RuleProposal['nearby'] }) {
  return (
    <ul className="findings">
      {calls.map(({ title, severity }) => (
        <li key={title} className={severity}>
          {severity === 'destructive' && <span className="badge red">{t('severity.destructive')}</span>}{' '}
          <code>{printable(title)}</code>
        </li>
      ))}
    </ul>
  )
}
