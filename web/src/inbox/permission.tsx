import { lazy, Suspense, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { t } from '../i18n/i18n.js'
import { reasonLabel } from '../i18n/server-text.js'
import { modeName } from '../session/session-label.js'
import { client, useHasRole } from '../store/state.js'
import { toolAction, toolKind, toolName } from '../tool/call.js'
import { printable } from '../ui/printable.js'
import { useLoaded } from '../ui/use-loaded.js'
import { Findings, GrantNote } from './command.js'
import { DenyForm } from './deny-form.js'
import { EditActions, EditInput } from './edit-input.js'
import { PermissionActions, type PlanMode } from './permission-actions.js'
import type { AnswerProps } from './request-card.js'
import { RequestFrame } from './request-frame.js'
import { RequestedCall } from './requested-call.js'

const RuleDialog = lazy(async () => ({ default: (await import('./rule-dialog.js')).RuleDialog }))

export function Permission({ request, cwd, isLocked, canOpenForm, onAnswer }: AnswerProps) {
  const [mode, setMode] = useState<'view' | 'edit' | 'deny'>('view')
  const [isRuleOpen, setIsRuleOpen] = useState(false)
  const isAdmin = useHasRole('admin')
  const isOperator = useHasRole('operator')
  /** The call starts an agent with a more permissive mode than the session: only admins can allow it. */
  const isForAdmins = request.freerMode !== undefined && !isAdmin
  const isPlan = request.plan !== null || toolKind(request.toolName) === 'plan'
  const [planMode, setPlanMode] = useState<PlanMode>('default')
  const explanation = useLoaded(
    async () => (await client.explainRequest({ params: { id: request.id } })).explanation,
  ).value
  const actions = useRef<HTMLDivElement>(null)
  const formId = useId()
  /** The focus returns to the button that opened the form. */
  const leaveForm = () => {
    flushSync(() => setMode('view'))
    actions.current?.querySelector<HTMLElement>(`[data-act="${mode}"]`)?.focus()
  }
  const grant = request.grant ?? explanation?.grant
  return (
    <RequestFrame
      actions={
        mode === 'view' ? (
          <PermissionActions
            ref={actions}
            isPlan={isPlan}
            isLocked={isLocked}
            canOpenForm={canOpenForm}
            mayAllow={!isForAdmins}
            mayCreateRule={isOperator}
            planMode={planMode}
            onPlanMode={setPlanMode}
            onAnswer={onAnswer}
            onEdit={() => setMode('edit')}
            onDeny={() => setMode('deny')}
            onCreateRule={() => setIsRuleOpen(true)}
          />
        ) : mode === 'edit' ? (
          <EditActions formId={formId} isLocked={isLocked} onCancel={leaveForm} />
        ) : (
          <DenyForm
            isLocked={!canOpenForm}
            onCancel={leaveForm}
            onDeny={(message) => onAnswer({ decision: 'deny', ...(message !== '' && { message }) })}
          />
        )
      }
    >
      <h2 className="request-title">
        <span className="status-dot permission" aria-hidden="true" />
        {isPlan ? t('plan.ready') : permissionTitle(request.toolName)}
        {request.agentId !== null && <span className="badge">{t('agent')}</span>}
      </h2>
      {mode === 'edit' ? (
        <EditInput
          id={formId}
          input={request.input}
          isLocked={isLocked}
          onCancel={leaveForm}
          onSave={(updatedInput) => onAnswer({ decision: 'allow', updatedInput })}
        />
      ) : (
        <RequestedCall
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
      {isRuleOpen && (
        <Suspense>
          <RuleDialog
            requestId={request.id}
            onClose={() => setIsRuleOpen(false)}
            onSaved={() => {
              setIsRuleOpen(false)
              onAnswer({ decision: 'allow' })
            }}
            onGrant={(until) => {
              setIsRuleOpen(false)
              onAnswer({ decision: 'allowAll', ...(until !== undefined && { until }) })
            }}
          />
        </Suspense>
      )}
    </RequestFrame>
  )
}

function permissionTitle(tool: string): string {
  const action = toolAction(tool)
  return action === null
    ? t('permission.use', { tool: printable(toolName(tool)) })
    : t(`permission.${action}`)
}
