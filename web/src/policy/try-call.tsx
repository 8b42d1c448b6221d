import { type FormEvent, useState } from 'react'
import type { Explanation } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { reasonLabel } from '../i18n/server-text.js'
import { Command, Findings, GrantNote } from '../inbox/command.js'
import { client, useStore } from '../store/state.js'
import { printable } from '../ui/printable.js'
import { useAttempt } from '../ui/use-attempt.js'
import { VerdictBadge } from './backtest-table.js'

const TOOLS = ['Bash', 'Write', 'Edit', 'Read', 'WebFetch'] as const

/** Dry run: evaluates the policy for a call without running it. */
export function TryCall() {
  const about = useStore((state) => state.about)
  const [tool, setTool] = useState<string>('Bash')
  const [text, setText] = useState('')
  const [answer, setAnswer] = useState<{ explanation: Explanation; command: string } | null>(null)
  const check = useAttempt(async () => {
    const cwd = about?.sampleWorkspace ?? '/'
    const explanation = await client.evaluatePolicy({ body: { tool, input: inputOf(tool, text), cwd } })
    setAnswer({ explanation, command: tool === 'Bash' ? text : '' })
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    check.run()
  }
  return (
    <section className="card panel" aria-label={t('policy.test')}>
      <h2>{t('policy.test')}</h2>
      <p className="muted">{t('policy.test_explained')}</p>
      <form className="test-call" onSubmit={submit}>
        <label>
          {t('policy.tool')}
          <select value={tool} onChange={(event) => setTool(event.target.value)}>
            {TOOLS.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label className="grow">
          {tool === 'Bash' ? t('policy.command') : tool === 'WebFetch' ? t('policy.url') : t('policy.path')}
          <input value={text} spellCheck={false} onChange={(event) => setText(event.target.value)} />
        </label>
        <button type="submit" className="align-end" disabled={check.isBusy || text.trim() === ''}>
          {t('policy.check')}
        </button>
      </form>
      {check.problem && <p role="alert">{check.problem}</p>}
      {answer && (
        <div className="verdict-box" role="status">
          {answer.command !== '' && <Command command={answer.command} explanation={answer.explanation} />}
          <p className="row">
            <VerdictBadge verdict={answer.explanation.verdict} />{' '}
            <span>{printable(reasonLabel(answer.explanation.verdict))}</span>{' '}
            <code className="muted">{answer.explanation.verdict.rule}</code>
          </p>
          <Findings explanation={answer.explanation} />
          <GrantNote grant={answer.explanation.grant} />
        </div>
      )}
    </section>
  )
}

function inputOf(tool: string, text: string): Record<string, string> {
  if (tool === 'Bash') return { command: text }
  if (tool === 'WebFetch') return { url: text, prompt: '' }
  if (tool === 'Write') return { file_path: text, content: '' }
  return tool === 'Edit' ? { file_path: text, old_string: 'a', new_string: 'b' } : { file_path: text }
}
