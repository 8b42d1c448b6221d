import { type FormEvent, lazy, Suspense, useId, useState } from 'react'
import type { Explanation, PermissionAnswer } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { modeName } from '../session/session-label.js'
import { client, useHasRole } from '../store/state.js'
import { textField, toolAction, toolKind, toolName } from '../tool/call.js'
import { Changes, Input } from '../tool/lazy-body.js'
import { Icon } from '../ui/icon.js'
import { printable } from '../ui/printable.js'
import { RichText } from '../ui/rich-text.js'
import { useLoaded } from '../ui/use-loaded.js'
import { Command, Findings } from './command.js'
import { EditInput } from './edit-input.js'
import type { AnswerProps } from './request-card.js'

/** How a session can go on after its plan was approved. */
const PLAN_MODES = ['default', 'acceptEdits'] as const

const RuleDialog = lazy(async () => ({ default: (await import('./rule-dialog.js')).RuleDialog }))

export function Permission({ request, cwd, isLocked, onAnswer }: AnswerProps) {
  const [mode, setMode] = useState<'view' | 'edit' | 'deny'>('view')
  const [isRuleOpen, setIsRuleOpen] = useState(false)
  const isAdmin = useHasRole('admin')
  /** A call that starts a freer agent than the session: others than admins can only deny it. */
  const isForAdmins = request.freerMode !== undefined && !isAdmin
  const isPlan = request.plan !== null || toolKind(request.toolName) === 'plan'
  const [planMode, setPlanMode] = useState<(typeof PLAN_MODES)[number]>('default')
  const explanation = useLoaded(
    async () => (await client.explainRequest({ params: { id: request.id } })).explanation,
  ).value
  const send = (body: PermissionAnswer) => onAnswer(body)
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
          onCancel={() => setMode('view')}
          onSave={(updatedInput) => send({ decision: 'allow', updatedInput })}
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
        <p className="why">{printable(request.reason)}</p>
      )}
      {explanation && !isPlan && <Findings explanation={explanation} />}
      {request.freerMode !== undefined && (
        <p className="why">
          {t('permission.freer', { mode: modeName(request.freerMode) })}
          {isForAdmins && ` ${t('permission.for_admins')}`}
        </p>
      )}
      {mode === 'view' && (
        <div className="choices">
          <button
            type="button"
            className="primary"
            data-act="allow"
            disabled={isLocked || isForAdmins}
            onClick={() => send({ decision: 'allow', ...(isPlan && { mode: planMode }) })}
          >
            <Icon name="check" /> {isPlan ? t('plan.approve') : t('allow')}
          </button>
          {isPlan && (
            <select
              aria-label={t('plan.mode')}
              value={planMode}
              onChange={(event) =>
                setPlanMode(PLAN_MODES.find((name) => name === event.target.value) ?? 'default')
              }
            >
              {PLAN_MODES.map((name) => (
                <option key={name} value={name}>
                  {t(`plan.then.${name}`)}
                </option>
              ))}
            </select>
          )}
          {!isPlan && (
            <button
              type="button"
              disabled={isLocked || isForAdmins}
              onClick={() => send({ decision: 'allowAll' })}
              title={t('allow_all.explained')}
            >
              {t('allow_all')}
            </button>
          )}
          {!isPlan && (
            <button
              type="button"
              data-act="edit"
              disabled={isLocked || isForAdmins}
              onClick={() => setMode('edit')}
            >
              <Icon name="edit" /> {t('edit')}
            </button>
          )}
          {!isPlan && isAdmin && (
            <button type="button" disabled={isLocked} onClick={() => setIsRuleOpen(true)}>
              <Icon name="policy" /> {t('rule.create')}
            </button>
          )}
          <button
            type="button"
            className="danger"
            data-act="deny"
            disabled={isLocked}
            onClick={() => setMode('deny')}
          >
            <Icon name="cross" /> {isPlan ? t('plan.reject') : t('deny')}
          </button>
        </div>
      )}
      {isRuleOpen && (
        <Suspense>
          <RuleDialog
            requestId={request.id}
            onClose={() => setIsRuleOpen(false)}
            onSaved={() => {
              setIsRuleOpen(false)
              send({ decision: 'allow' })
            }}
          />
        </Suspense>
      )}
      {mode === 'deny' && (
        <DenyForm
          isLocked={isLocked}
          onCancel={() => setMode('view')}
          onDeny={(message) => send({ decision: 'deny', ...(message !== '' && { message }) })}
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

/** What would be done, in the form in which it can best be judged. */
interface CallProps {
  toolName: string
  input: unknown
  cwd: string
  explanation: Explanation | null
}

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
          // biome-ignore lint/a11y/noAutofocus: the person has just asked to type here.
          autoFocus
          onChange={(event) => setMessage(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && (event.stopPropagation(), onCancel())}
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
