import { useState } from 'react'
import type { Backtest, PolicyFile, PolicyInForce } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { errorLabel } from '../../i18n/server-text.js'
import { client } from '../../store/state.js'
import { Chips } from '../../ui/chips.js'
import { useAttempt } from '../../ui/use-attempt.js'
import { BacktestTable } from '../backtest-table.js'
import { PolicyForm } from './policy-form.js'
import { policyText, readPolicy } from './policy-json.js'
import { fileOf } from './rule-field.js'
import { RuleList } from './rule-list.js'

interface PolicyEditorProps {
  inForce: PolicyInForce
  maySave: boolean
  onSaved(): void
}

const VIEWS = ['form', 'json'] as const

/** Edits the policy as forms or as JSON. A change can be saved after a backtest. */
export function PolicyEditor({ inForce: { policy, path, always }, maySave, onSaved }: PolicyEditorProps) {
  const [draft, setDraft] = useState<PolicyFile>(() => fileOf(policy))
  /** Null: the form is shown. */
  const [text, setText] = useState<string | null>(null)
  const [problem, setProblem] = useState('')
  /** The fields of the form have texts of their own: a discarded draft needs new ones. */
  const [round, setRound] = useState(0)
  const [backtest, setBacktest] = useState<Backtest | null>(null)
  const change = (next: PolicyFile) => {
    setDraft(next)
    setBacktest(null)
  }
  const current = (): PolicyFile => (text === null ? draft : readPolicy(text))
  const isChanged = (text ?? policyText(draft)) !== policyText(fileOf(policy))
  const show = (view: (typeof VIEWS)[number]) => {
    if (view === 'json') return setText(text ?? policyText(draft))
    try {
      setDraft(current())
      setText(null)
      setProblem('')
    } catch (error) {
      setProblem(errorLabel(error))
    }
  }
  const test = useAttempt(async () => {
    setBacktest((await client.backtestPolicy({ body: { policy: current() } })).backtest)
    setProblem('')
  })
  const save = useAttempt(async () => {
    await client.setPolicy({ body: current() })
    onSaved()
  })
  const shown = test.problem || save.problem || problem
  return (
    <section className="card panel" aria-label={t('policy.rules')}>
      <div className="row">
        <h2 className="grow">{t('policy.rules')}</h2>
        <Chips
          label={t('policy.view')}
          values={VIEWS}
          chosen={text === null ? 'form' : 'json'}
          nameOf={(view) => t(`policy.view.${view}`)}
          onChoose={show}
        />
      </div>
      <p className="muted">
        {t('policy.stored_in')} <code>{path}</code>
      </p>
      {text === null ? (
        <PolicyForm key={round} policy={draft} onChange={change} />
      ) : (
        <textarea
          className="code-text"
          aria-label={t('policy.file')}
          rows={Math.min(24, Math.max(8, text.split('\n').length))}
          value={text}
          spellCheck={false}
          onChange={({ target }) => {
            setText(target.value)
            setBacktest(null)
          }}
        />
      )}
      {always.length > 0 && (
        <details>
          <summary>{t('policy.built_in')}</summary>
          <RuleList rules={always} />
        </details>
      )}
      {shown && <p role="alert">{shown}</p>}
      {backtest && <BacktestTable backtest={backtest} />}
      {isChanged && (
        <>
          <p role="status">{t('policy.edit_explained')}</p>
          <div className="row">
            <button type="button" disabled={test.isBusy} onClick={test.run}>
              {t('policy.backtest')}
            </button>
            {maySave && (
              <button
                type="button"
                className="primary"
                disabled={save.isBusy || backtest === null}
                onClick={save.run}
              >
                {t('policy.save')}
              </button>
            )}
            <button
              type="button"
              className="plain"
              onClick={() => {
                change(fileOf(policy))
                if (text !== null) setText(policyText(fileOf(policy)))
                setProblem('')
                setRound(round + 1)
              }}
            >
              {t('policy.discard')}
            </button>
          </div>
        </>
      )}
    </section>
  )
}
