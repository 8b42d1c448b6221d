import { Suspense, useEffect, useState } from 'react'
import type { Answer, InboxRequest } from '../../../src/protocol/index.js'
import { duration, t } from '../i18n/i18n.js'
import { sendAnswer, undoAnswer } from '../store/send.js'
import { useHasRole, useStore } from '../store/state.js'
import { Icon } from '../ui/icon.js'
import { lazyView } from '../ui/lazy-view.js'
import { useNow } from '../ui/use-now.js'
import { Permission } from './permission.js'
import { Questions } from './questions.js'
import { Resolved } from './resolved.js'

const ServerForm = lazyView(async () => (await import('./form.js')).ServerForm)

/** Guards against double clicks: a new card may appear where the answered one was. */
const ARM_MS = 350

interface RequestCardProps {
  request: InboxRequest
  cwd: string
  isCurrent?: boolean
}

export interface AnswerProps {
  request: InboxRequest
  cwd: string
  /** Whether it cannot be answered now: just appeared, answer in flight, or missing role. */
  isLocked: boolean
  /**
   * Whether its forms can be used. They do not wait: opening one is not an answer, and a reason that is typed after `d` must
   * not reach the shortcuts of the page.
   */
  canOpenForm: boolean
  onAnswer(body: Answer): void
}

/** A request with its controls. It can be answered once. */
export function RequestCard({ request, cwd, isCurrent = false }: RequestCardProps) {
  const outgoing = useStore((state) => state.outgoing.get(request.id))
  const isInTerminal = useStore((state) => state.sessions.get(request.sessionId)?.kind === 'observed')
  const mayAct = useHasRole('operator')
  const isArmed = useArmed()
  const [problem, setProblem] = useState('')

  if (request.state === 'resolved') return <Resolved request={request} isCurrent={isCurrent} />
  const onAnswer = (body: Answer) => {
    setProblem('')
    void sendAnswer(request.id, body).then(setProblem)
  }
  const canOpenForm = mayAct && outgoing === undefined && !request.isOnlyInTerminal
  const shared = { request, cwd, isLocked: !canOpenForm || !isArmed, canOpenForm, onAnswer }
  return (
    <article className={isCurrent ? 'request card current' : 'request card'} aria-label={request.title}>
      <RequestBody {...shared} />
      {isInTerminal && (
        <p className="muted small">
          {t(request.isOnlyInTerminal ? 'request.terminal_only' : 'request.terminal')}
        </p>
      )}
      {request.isParked && <p className="muted small">{t('request.parked')}</p>}
      {request.expiresAt !== null && <Expiry at={request.expiresAt} />}
      {outgoing?.state === 'unsent' && (
        <p className="row unsent" role="status">
          <Icon name="warning" /> {t(outgoing.isPersisted ? 'answer.unsent' : 'answer.unsent_not_stored')}
          <button type="button" className="plain" onClick={() => undoAnswer(request.id)}>
            {t('answer.undo')}
          </button>
        </p>
      )}
      {problem && <p role="alert">{problem}</p>}
    </article>
  )
}

function RequestBody(props: AnswerProps) {
  const { request } = props
  if (request.kind === 'permission') return <Permission {...props} />
  if (!request.form) return <Questions {...props} />
  return (
    <Suspense fallback={<p className="muted">{t('loading')}</p>}>
      <ServerForm form={request.form} {...props} />
    </Suspense>
  )
}

function Expiry({ at }: { at: string }) {
  const now = useNow()
  return (
    <p className="muted small">
      {t('request.expires', { time: duration(Math.max(0, Date.parse(at) - now)) })}
    </p>
  )
}

function useArmed(): boolean {
  const [isArmed, setIsArmed] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsArmed(true), ARM_MS)
    return () => clearTimeout(timer)
  }, [])
  return isArmed
}
