import { useState } from 'react'
import { t } from '../i18n/i18n.js'
import { BacktestTable } from '../policy/backtest-table.js'
import { client } from '../store/state.js'
import { Dialog } from '../ui/dialog.js'
import { useAttempt } from '../ui/use-attempt.js'
import { useLoaded } from '../ui/use-loaded.js'

interface RuleDialogProps {
  requestId: string
  onClose(): void
  /** Called after the rule is saved. */
  onSaved(): void
}

/** Creates a rule from a request. Shows a backtest of the rule before it is saved. */
export function RuleDialog({ requestId, onClose, onSaved }: RuleDialogProps) {
  const suggestion = useLoaded(
    async () => (await client.suggestRule({ params: { id: requestId } })).suggestion,
  )
  const [name, setName] = useState<string | null>(null)
  const save = useAttempt(async () => {
    if (!suggestion.value) return
    const { rule } = suggestion.value
    await client.addPolicyRule({ body: { ...rule, name: name ?? rule.name } })
    onSaved()
  })
  const { value } = suggestion
  return (
    <Dialog title={t('rule.title')} onClose={onClose}>
      <p className="muted">{t('rule.explained')}</p>
      {!value && !suggestion.problem && <p>{t('loading')}</p>}
      {value && (
        <>
          <label>
            {t('rule.name')}
            <input
              value={name ?? value.rule.name}
              maxLength={100}
              onChange={(event) => setName(event.target.value)}
            />
          </label>
          <pre className="output">{JSON.stringify(value.rule.when, null, 2)}</pre>
          <BacktestTable backtest={value.preview} />
        </>
      )}
      {(suggestion.problem || save.problem) && <p role="alert">{suggestion.problem || save.problem}</p>}
      <div className="row end">
        <button type="button" onClick={onClose}>
          {t('cancel')}
        </button>
        <button
          type="button"
          className="primary"
          disabled={!value || save.isBusy || (name ?? value.rule.name).trim() === ''}
          onClick={save.run}
        >
          {t('rule.save')}
        </button>
      </div>
    </Dialog>
  )
}
