import type { PolicyRule } from '../../../../src/protocol/index.js'
import { dateTime, t } from '../../i18n/i18n.js'
import { printable } from '../../ui/printable.js'
import { verdictLabel } from '../backtest-table.js'

interface RuleListProps {
  rules: readonly PolicyRule[]
  /** Absent: the rules cannot be edited here. */
  onEdit?(rule: PolicyRule): void
  onRemove?(rule: PolicyRule): void
}

export function RuleList({ rules, onEdit, onRemove }: RuleListProps) {
  return (
    <ol className="item-list rules">
      {rules.map((rule) => (
        <li key={rule.name} className="row">
          <div className="grow">
            <span className={`badge ${{ allow: 'green', ask: 'amber', deny: 'red' }[rule.verdict]}`}>
              {verdictLabel(rule.verdict)}
            </span>{' '}
            <strong>{printable(rule.name)}</strong>{' '}
            <span className="muted">
              {printable(rule.reason ?? '')}
              {rule.until !== undefined && ` ${endLabel(rule.until)}`}
            </span>
            <Conditions when={rule.when} />
          </div>
          {onEdit && (
            <button
              type="button"
              aria-label={t('rule.edit_one', { name: rule.name })}
              onClick={() => onEdit(rule)}
            >
              {t('edit')}
            </button>
          )}
          {onRemove && (
            <button
              type="button"
              aria-label={t('rule.remove_one', { name: rule.name })}
              onClick={() => onRemove(rule)}
            >
              {t('rule.remove')}
            </button>
          )}
        </li>
      ))}
    </ol>
  )
}

function endLabel(until: string): string {
  const isOver = Date.parse(until) <= Date.now()
  return t(isOver ? 'policy.rule_ended' : 'grants.until', { time: dateTime(until) })
}

const NAMES = [
  'tools',
  'commands',
  'paths',
  'access',
  'servers',
  'sources',
  'workspaces',
  'agents',
  'modes',
] as const

function Conditions({ when }: { when: PolicyRule['when'] }) {
  const given = NAMES.flatMap((name) => (when[name] === undefined ? [] : [{ name, values: when[name] }]))
  if (given.length === 0) return <p className="muted">{t('policy.every_call')}</p>
  return given.map(({ name, values }) => (
    <p key={name}>
      <span className="muted">{t(`rule.when.${name}`)}:</span> <code>{printable(values.join(', '))}</code>
    </p>
  ))
}
