import { useState } from 'react'
import { type Backtest, PolicyFile, type PolicyInForce } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { client } from '../store/state.js'
import { useAttempt } from '../ui/use-attempt.js'
import { BacktestTable } from './backtest-table.js'

interface PolicyEditorProps {
  inForce: PolicyInForce
  maySave: boolean
  onSaved(): void
}

/** Edits the policy as JSON. It can be saved only after a backtest. */
export function PolicyEditor({ inForce, maySave, onSaved }: PolicyEditorProps) {
  const [text, setText] = useState(() => JSON.stringify(inForce.policy, null, 2))
  const [backtest, setBacktest] = useState<Backtest | null>(null)
  const test = useAttempt(async () => {
    const reply = await client.backtestPolicy({ body: { policy: read(text) } })
    setBacktest(reply.backtest)
  })
  const save = useAttempt(async () => {
    await client.setPolicy({ body: read(text) })
    onSaved()
  })
  const problem = test.problem || save.problem
  return (
    <section className="card panel" aria-label={t('policy.edit')}>
      <h2>{t('policy.edit')}</h2>
      <p className="muted">{t('policy.edit_explained')}</p>
      <label>
        {t('policy.file')}
        <textarea
          className="code-text"
          rows={Math.min(24, Math.max(8, text.split('\n').length))}
          value={text}
          spellCheck={false}
          onChange={(event) => {
            setText(event.target.value)
            setBacktest(null)
          }}
        />
      </label>
      {problem && <p role="alert">{problem}</p>}
      {backtest && <BacktestTable backtest={backtest} />}
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
      </div>
    </section>
  )
}

function read(text: string): PolicyFile {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Error(t('edit.not_json', { name: t('policy.file') }), { cause })
  }
  const policy = PolicyFile.safeParse(value)
  if (policy.success) return policy.data
  const [issue] = policy.error.issues
  throw new Error(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`)
}
