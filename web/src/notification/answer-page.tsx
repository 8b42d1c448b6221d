import { useEffect, useState } from 'react'
import { type AnswerView, HubError, type InboxRequest } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { errorLabel, reasonLabel } from '../i18n/server-text.js'
import { RequestedCall } from '../inbox/requested-call.js'
import { Resolved } from '../inbox/resolved.js'
import { client } from '../store/state.js'
import { isUnreachable } from '../store/unreachable.js'
import { Icon } from '../ui/icon.js'
import { printable } from '../ui/printable.js'

type Decision = 'allow' | 'deny'

const RETRY_MS = 2_000

/** `/answer#TOKEN`: the request of a link in a notification. Opening it answers nothing; it needs no login. */
export function AnswerPage() {
  const [token] = useState(() => location.hash.slice(1))
  const [view, setView] = useState<AnswerView | null>(null)
  const [answered, setAnswered] = useState<InboxRequest | null>(null)
  const [sending, setSending] = useState<Decision | null>(null)
  const [isOffline, setIsOffline] = useState(false)
  const [problem, setProblem] = useState('')

  useEffect(() => {
    patiently(() => client.lookAnswer({ body: { token } }), setIsOffline).then(
      ({ answer }) => {
        setView(answer)
        if (answer.request.state === 'resolved') setAnswered(answer.request)
      },
      (error: unknown) => setProblem(errorLabel(error)),
    )
  }, [token])

  /** Idempotent: the token with the same decision is one answer, however often it is sent. */
  const send = async (decision: Decision) => {
    setSending(decision)
    setProblem('')
    try {
      const { request } = await patiently(
        () => client.answerByToken({ body: { token, decision } }),
        setIsOffline,
      )
      setAnswered(request)
    } catch (error) {
      setProblem(errorLabel(error))
      if (error instanceof HubError && error.code === 'request_already_resolved') {
        const look = () => client.lookAnswer({ body: { token } })
        await patiently(look, setIsOffline).then(
          ({ answer }) => setAnswered(answer.request),
          () => {},
        )
      }
    } finally {
      setSending(null)
    }
  }

  const request = answered ?? view?.request
  return (
    <main className="answer-page">
      <h1 className="truncate">{view ? printable(view.session.name) : t('answer.title')}</h1>
      {request && answered && <Resolved request={answered} isCurrent />}
      {view && request && !answered && (
        <article className="request card current" aria-label={request.title}>
          <RequestedCall
            toolName={request.toolName}
            input={request.input}
            cwd={view.session.cwd}
            explanation={null}
          />
          <p className="muted">{printable(reasonLabel(request))}</p>
          <div className="choices">
            {view.decisions.map((decision) => (
              <button
                key={decision}
                type="button"
                className={decision === 'allow' ? 'primary' : 'danger'}
                disabled={sending !== null}
                onClick={() => void send(decision)}
              >
                <Icon name={decision === 'allow' ? 'check' : 'cross'} /> {t(decision)}
              </button>
            ))}
          </div>
          {!view.decisions.includes('allow') && <p className="muted small">{t('answer.only_deny')}</p>}
          {sending && <p role="status">{t(isOffline ? 'answer.retrying' : 'answer.sending')}</p>}
        </article>
      )}
      {!view && isOffline && <p role="status">{t('answer.retrying')}</p>}
      {problem && <p role="alert">{problem}</p>}
      {view && <p className="muted small">{t('answer.as', { user: view.user, channel: view.channel })}</p>}
      <p>
        <a href={view ? `/requests/${view.request.id}` : '/inbox'}>{t('answer.open')}</a>
      </p>
    </main>
  )
}

/** Repeats a call while there is no connection. */
async function patiently<Value>(
  call: () => Promise<Value>,
  onOffline: (isOffline: boolean) => void,
): Promise<Value> {
  for (;;) {
    try {
      const value = await call()
      onOffline(false)
      return value
    } catch (error) {
      if (!isUnreachable(error)) throw error
      onOffline(true)
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}
