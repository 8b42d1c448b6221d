import { t } from '../i18n/i18n.js'
import { POLICY_TABS, type PolicyTab, pathOf } from '../route.js'
import { Link } from '../ui/link.js'
import { AuditTab } from './audit/view.js'
import { RulesTab } from './rules.js'
import { ToolsTab } from './tools.js'

/** The policy for tool calls, the tools that Signalbox adds to Claude Code, and the audit. */
export function PolicyView({ tab }: { tab: PolicyTab }) {
  return (
    <div className="page">
      <header>
        <h1>{t('nav.policy')}</h1>
        <p>{t(`policy.${tab}_explained`)}</p>
      </header>
      <nav className="tabs page-tabs" aria-label={t('policy.tabs')}>
        {POLICY_TABS.map((name) => (
          <Link
            key={name}
            to={pathOf({ view: 'policy', tab: name })}
            aria-current={name === tab ? 'page' : undefined}
          >
            {t(`policy.tab.${name}`)}
          </Link>
        ))}
      </nav>
      {tab === 'rules' && <RulesTab />}
      {tab === 'tools' && <ToolsTab />}
      {tab === 'audit' && <AuditTab />}
    </div>
  )
}
