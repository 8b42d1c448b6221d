import { type FormEvent, useState } from 'react'
import type { PolicyFile, PolicyRule } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { modeName } from '../../session/session-label.js'
import { Dialog } from '../../ui/dialog.js'
import { ChoiceField } from './choice-field.js'
import { EndField } from './end-field.js'
import { ListField } from './list-field.js'
import { CHOICES, type PatternField, withCondition, withEnd, withReason } from './rule-field.js'
import { RulePreviewBox } from './rule-preview.js'

interface RuleEditorProps {
  rule: PolicyRule
  /** The policy without the rule. */
  policy: PolicyFile
  onApply(rule: PolicyRule): void
  onClose(): void
}

const VERDICTS = ['allow', 'ask', 'deny'] as const

/** A form for one rule, with what it would change. It changes the draft of the policy, nothing else. */
export function RuleEditor({ rule: before, policy, onApply, onClose }: RuleEditorProps) {
  const [rule, setRule] = useState(before)
  const isTaken = policy.rules.some(({ name }) => name === rule.name.trim())
  const list = (field: PatternField, hint?: string) => (
    <ListField
      label={t(`rule.when.${field}`)}
      {...(hint !== undefined && { hint })}
      value={rule.when[field]}
      onChange={(values) => setRule((latest) => withCondition(latest, field, values))}
    />
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onApply({ ...rule, name: rule.name.trim() })
  }
  return (
    <Dialog title={before.name === '' ? t('rule.new') : t('rule.edit')} isWide onClose={onClose}>
      <form className="rule-form" onSubmit={submit}>
        <div className="rule-fields">
          <label>
            {t('rule.name')}
            <input
              value={rule.name}
              maxLength={100}
              required
              onChange={({ target }) => setRule({ ...rule, name: target.value })}
            />
          </label>
          {isTaken && <p role="alert">{t('rule.name_taken')}</p>}
          <fieldset className="several">
            <legend>{t('rule.verdict')}</legend>
            {VERDICTS.map((verdict) => (
              <label key={verdict} className="choice">
                <input
                  type="radio"
                  name="verdict"
                  checked={rule.verdict === verdict}
                  onChange={() => setRule({ ...rule, verdict })}
                />{' '}
                {t(`rule.verdict.${verdict}`)}
              </label>
            ))}
          </fieldset>
          {list('tools', t('rule.when.tools_hint'))}
          {list('commands', t('rule.when.commands_hint'))}
          {list('paths', t('rule.when.paths_hint'))}
          {list('workspaces', t('rule.when.workspaces_hint'))}
          <EndField until={rule.until} onChange={(until) => setRule((latest) => withEnd(latest, until))} />
          <details>
            <summary>{t('rule.more')}</summary>
            <ChoiceField
              label={t('rule.when.access')}
              values={CHOICES.access}
              nameOf={(access) => t(`access.${access}`)}
              chosen={rule.when.access ?? []}
              onChange={(access) => setRule(withCondition(rule, 'access', access))}
            />
            <ChoiceField
              label={t('rule.when.modes')}
              values={CHOICES.modes}
              nameOf={modeName}
              chosen={rule.when.modes ?? []}
              onChange={(modes) => setRule(withCondition(rule, 'modes', modes))}
            />
            {list('agents', t('rule.when.agents_hint'))}
            {list('servers')}
            <ChoiceField
              label={t('rule.when.sources')}
              values={CHOICES.sources}
              nameOf={(source) => source}
              chosen={rule.when.sources ?? []}
              onChange={(sources) => setRule(withCondition(rule, 'sources', sources))}
            />
          </details>
          <label>
            {t('rule.reason')}
            <input
              value={rule.reason ?? ''}
              maxLength={500}
              onChange={({ target }) => setRule(withReason(rule, target.value))}
            />
          </label>
        </div>
        <RulePreviewBox rule={rule} policy={policy} />
        <div className="row end">
          <button type="button" onClick={onClose}>
            {t('cancel')}
          </button>
          <button type="submit" className="primary" disabled={isTaken || rule.name.trim() === ''}>
            {t('rule.apply')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
