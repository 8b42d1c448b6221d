import type { Ref } from 'react'
import type { PermissionAnswer } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { Icon } from '../ui/icon.js'

/** The permission modes in which a session can continue after its plan is approved. */
const PLAN_MODES = ['default', 'acceptEdits'] as const
export type PlanMode = (typeof PLAN_MODES)[number]

interface PermissionActionsProps {
  ref: Ref<HTMLDivElement>
  isPlan: boolean
  isLocked: boolean
  canOpenForm: boolean
  mayAllow: boolean
  mayCreateRule: boolean
  planMode: PlanMode
  onPlanMode(mode: PlanMode): void
  onAnswer(body: PermissionAnswer): void
  onEdit(): void
  onDeny(): void
  onCreateRule(): void
}

/** The buttons of a permission request. A plan is approved or sent back as a whole. */
export function PermissionActions({ isPlan, ref, ...props }: PermissionActionsProps) {
  return (
    <div className="choices" ref={ref}>
      {isPlan ? <PlanActions {...props} /> : <CallActions {...props} />}
    </div>
  )
}

type ActionsProps = Omit<PermissionActionsProps, 'isPlan' | 'ref'>

function PlanActions(props: ActionsProps) {
  const { isLocked, canOpenForm, mayAllow, planMode, onPlanMode, onAnswer, onDeny } = props
  return (
    <>
      <AllowButton
        isDisabled={isLocked || !mayAllow}
        label={t('plan.approve')}
        onClick={() => onAnswer({ decision: 'allow', mode: planMode })}
      />
      <select
        aria-label={t('plan.mode')}
        value={planMode}
        onChange={(event) => onPlanMode(PLAN_MODES.find((name) => name === event.target.value) ?? 'default')}
      >
        {PLAN_MODES.map((name) => (
          <option key={name} value={name}>
            {t(`plan.then.${name}`)}
          </option>
        ))}
      </select>
      <DenyButton isDisabled={!canOpenForm} label={t('plan.reject')} onClick={onDeny} />
    </>
  )
}

function CallActions({
  isLocked,
  canOpenForm,
  mayAllow,
  mayCreateRule,
  onAnswer,
  onEdit,
  onDeny,
  onCreateRule,
}: ActionsProps) {
  const isDisabled = isLocked || !mayAllow
  return (
    <>
      <AllowButton
        isDisabled={isDisabled}
        label={t('allow')}
        onClick={() => onAnswer({ decision: 'allow' })}
      />
      <button
        type="button"
        disabled={isDisabled}
        onClick={() => onAnswer({ decision: 'allowAll' })}
        title={t('allow_all.explained')}
      >
        {t('allow_all')}
      </button>
      <button type="button" data-act="edit" disabled={!canOpenForm || !mayAllow} onClick={onEdit}>
        <Icon name="edit" /> {t('edit')}
      </button>
      {mayCreateRule && (
        <button type="button" disabled={!canOpenForm} onClick={onCreateRule}>
          <Icon name="policy" /> {t('rule.create')}
        </button>
      )}
      <DenyButton isDisabled={!canOpenForm} label={t('deny')} onClick={onDeny} />
    </>
  )
}

interface ButtonProps {
  label: string
  isDisabled: boolean
  onClick(): void
}

function AllowButton({ label, isDisabled, onClick }: ButtonProps) {
  return (
    <button type="button" className="primary" data-act="allow" disabled={isDisabled} onClick={onClick}>
      <Icon name="check" /> {label}
    </button>
  )
}

function DenyButton({ label, isDisabled, onClick }: ButtonProps) {
  return (
    <button type="button" className="danger" data-act="deny" disabled={isDisabled} onClick={onClick}>
      <Icon name="cross" /> {label}
    </button>
  )
}
