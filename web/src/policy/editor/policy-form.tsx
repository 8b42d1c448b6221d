import { useMemo, useState } from 'react'
import type { PolicyFile, PolicyRule } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { ListField } from './list-field.js'
import { RuleEditor } from './rule-editor.js'
import { fileOf, NEW_RULE } from './rule-field.js'
import { RuleList } from './rule-list.js'

interface PolicyFormProps {
  policy: PolicyFile
  onChange(policy: PolicyFile): void
}

const PRESETS = ['careful', 'classic'] as const

/** The policy as forms: preset, tools without questions, and rules. */
export function PolicyForm({ policy, onChange }: PolicyFormProps) {
  /** The rule being edited, by its name before; null for a new one. */
  const [edited, setEdited] = useState<{ name: string | null; rule: PolicyRule } | null>(null)
  const preset = policy.preset ?? 'careful'
  // Stable while the rule is edited: it is judged again when it changes.
  const others = useMemo(
    () => ({ ...policy, rules: policy.rules.filter(({ name }) => name !== edited?.name) }),
    [policy, edited?.name],
  )
  const apply = (rule: PolicyRule) => {
    const rules =
      edited?.name == null
        ? [...policy.rules, rule]
        : policy.rules.map((known) => (known.name === edited.name ? rule : known))
    onChange({ ...policy, rules })
    setEdited(null)
  }
  return (
    <>
      <fieldset>
        <legend>{t('policy.preset')}</legend>
        {PRESETS.map((name) => (
          <label key={name} className="choice">
            <input
              type="radio"
              name="preset"
              checked={preset === name}
              onChange={() => onChange(fileOf({ ...policy, preset: name }))}
            />{' '}
            <span>
              <strong>{name}</strong> <span className="muted">{t(`preset.${name}`)}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {preset === 'classic' && (
        <label className="choice">
          <input
            type="checkbox"
            checked={policy.denyFirst === true}
            onChange={({ target }) => onChange({ ...policy, denyFirst: target.checked })}
          />{' '}
          {t('policy.deny_first')}
        </label>
      )}
      {policy.rules.length === 0 ? (
        <p className="muted">{t('policy.none')}</p>
      ) : (
        <RuleList
          rules={policy.rules}
          onEdit={(rule) => setEdited({ name: rule.name, rule })}
          onRemove={(rule) =>
            onChange({ ...policy, rules: policy.rules.filter(({ name }) => name !== rule.name) })
          }
        />
      )}
      <button type="button" className="add-rule" onClick={() => setEdited({ name: null, rule: NEW_RULE })}>
        {t('rule.add')}
      </button>
      <details>
        <summary>{t('policy.auto_allow')}</summary>
        <ListField
          label={t('rule.when.tools')}
          hint={t(preset === 'careful' ? 'policy.auto_allow_careful' : 'policy.auto_allow_classic')}
          value={policy.autoAllowTools}
          onChange={(tools) => {
            const { autoAllowTools: _, ...rest } = policy
            onChange(tools.length === 0 ? rest : { ...rest, autoAllowTools: tools })
          }}
        />
      </details>
      {edited && (
        <RuleEditor rule={edited.rule} policy={others} onApply={apply} onClose={() => setEdited(null)} />
      )}
    </>
  )
}
