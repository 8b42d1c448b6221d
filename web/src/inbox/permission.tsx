import { type FormEvent, lazy, Suspense, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Explanation } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { reasonLabel } from '../i18n/server-text.js'
import { modeName } from '../session/session-label.js'
import { client, useHasRole } from '../store/state.js'
import { textField, toolAction, toolKind, toolName } from '../tool/call.js'
import { Changes, Input } from '../tool/lazy-body.js'
import { useEscape } from '../ui/escape.js'
import { printable } from '../ui/printable.js'
import { RichText } from '../ui/rich-text.js'
import { useLoaded } from '../ui/use-loaded.js'
import { Command, Findings, GrantNote } from './command.js'
import { EditInput } from './edit-input.js'
import { PermissionActions, type PlanMode } from './permission-actions.js'
import type { AnswerProps } from './request-card.js'

const RuleDialog = lazy(async () => ({ default: (await import('./rule-dialog.js')).RuleDialog }))

export function Permission({ request, cwd, isLocked, onAnswer }: AnswerProps) {
  const [mode, setMode] = useState<'view' | 'edit' | 'deny'>('view')
  const [isRuleOpen, setIsRuleOpen] = useState(false)
  const isAdmin = useHasRole('admin')
  /** The call starts an agent with a more permissive mode than the session: only admins can allow it. */
  const isForAdmins = request.freerMode !== undefined && !isAdmin
  const isPlan = request.plan !== null || toolKind(request.toolName) === 'plan'
  const [planMode, setPlanMode] = useState<PlanMode>('default')
  const explanation = useLoaded(
    async () => (await client.explainRequest({ params: { id: request.id } })).explanation,
  ).value
  const footer = useRef<HTMLDivElement>(null)
  /** The focus returns to the button that opened the form. */
  const leaveForm = () => {
    flushSync(() => setMode('view'))
    footer.current?.querySelector<HTMLElement>(`[data-act="${mode}"]`)?.focus()
  }
  const grant = request.grant ?? explanation?.grant
  return (
    <>
      <h2 className="request-title">
        <span className="status-dot permission" aria-hidden="true" />
        {isPlan ? t('plan.ready') : permissionTitle(request.toolName)}
        {request.agentId !== null && <span className="badge">{t('agent')}</span>}
      </h2>
      {mode === 'edit' ? (
        <EditInput
          input={request.input}
          isLocked={isLocked}
          onCancel={leaveForm}
          onSave={(updatedInput) => onAnswer({ decision: 'allow', updatedInput })}
        />
      ) : (
        <Call
          toolName={request.toolName}
          input={request.plan === null ? request.input : { plan: request.plan }}
          cwd={cwd}
          explanation={explanation}
        />
      )}
      {!isPlan && !explanation?.findings.some(({ reason }) => reason === request.reason) && (
        <p className="why">{printable(reasonLabel(request))}</p>
      )}
      {explanation && !isPlan && <Findings explanation={explanation} />}
      {grant && !isPlan && <GrantNote grant={grant} />}
      {request.freerMode !== undefined && (
        <p className="why">
          {t('permission.freer', { mode: modeName(request.freerMode) })}
          {isForAdmins && ` ${t('permission.for_admins')}`}
        </p>
      )}
      {mode === 'view' && (
        <PermissionActions
          ref={footer}
          isPlan={isPlan}
          isLocked={isLocked}
          mayAllow={!isForAdmins}
          mayCreateRule={isAdmin}
          planMode={planMode}
          onPlanMode={setPlanMode}
          onAnswer={onAnswer}
          onEdit={() => setMode('edit')}
          onDeny={() => setMode('deny')}
          onCreateRule={() => setIsRuleOpen(true)}
        />
      )}
      {isRuleOpen && (
        <Suspense>
          <RuleDialog
            requestId={request.id}
            onClose={() => setIsRuleOpen(false)}
            onSaved={() => {
              setIsRuleOpen(false)
              onAnswer({ decision: 'allow' })
            }}
          />
        </Suspense>
      )}
      {mode === 'deny' && (
        <DenyForm
          isLocked={isLocked}
          onCancel={leaveForm}
          onDeny={(message) => onAnswer({ decision: 'deny', ...(message !== '' && { message }) })}
        />
      )}
    </>
  )
}

function permissionTitle(tool: string): string {
  const action = toolAction(tool)
  return action === null
    ? t('permission.use', { tool: printable(toolName(tool)) })
    : t(`permission.${action}`)
}

interface CallProps {
  toolName: string
  input: unknown
  cwd: string
  explanation: Explanation | null
}

/** The call, rendered by kind: a command, a diff, a plan or plain fields. */
function Call({ toolName: name, input, cwd, explanation }: CallProps) {
  const kind = toolKind(name)
  const loading = <p className="muted">{t('loading')}</p>
  if (kind === 'shell') {
    return (
      <div className="shell">
        <Command command={textField(input, 'command') ?? ''} explanation={explanation} />
        {textField(input, 'description') !== null && (
          <p className="muted">{printable(textField(input, 'description') ?? '')}</p>
        )}
      </div>
    )
  }
  if (kind === 'plan') return <RichText text={textField(input, 'plan') || t('plan.empty')} />
  return (
    <Suspense fallback={loading}>
      {kind === 'edit' ? (
        <Changes name={name} input={input} result={null} cwd={cwd} />
      ) : (
        <Input input={input} />
      )}
    </Suspense>
  )
}

interface DenyFormProps {
  isLocked: boolean
  onCancel(): void
  onDeny(message: string): void
}

function DenyForm({ isLocked, onCancel, onDeny }: DenyFormProps) {
  const [message, setMessage] = useState('')
  const id = useId()
  useEscape(true, onCancel)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isLocked) onDeny(message.trim())
  }
  return (
    <form className="deny-form" onSubmit={submit}>
      <label htmlFor={id}>{t('deny.reason')}</label>
      <div className="row">
        <input
          id={id}
          className="grow"
          value={message}
          // biome-ignore lint/a11y/noAutofocus: the user has just opened this field.
          autoFocus
          onChange={(event) => setMessage(event.target.value)}
        />
        <button type="submit" className="danger" disabled={isLocked}>
          {t('deny')}
        </button>
        <button type="button" className="plain" onClick={onCancel}>
          {t('cancel')}
        </button>
      </div>
    </form>
  )
}
