import { useId } from 'react'
import { t } from '../../i18n/i18n.js'

/** As typed; empty for no limit. */
export interface LimitValues {
  budget: string
  turns: string
}

interface LimitsProps {
  values: LimitValues
  onChange(values: LimitValues): void
}

/** Cost and number of steps after which the agent stops. */
export function Limits({ values, onChange }: LimitsProps) {
  return (
    <div className="two-columns">
      <LimitField
        name="budget"
        min="0.01"
        step="any"
        value={values.budget}
        onChange={(budget) => onChange({ ...values, budget })}
      />
      <LimitField
        name="turns"
        min="1"
        step="1"
        value={values.turns}
        onChange={(turns) => onChange({ ...values, turns })}
      />
    </div>
  )
}

interface LimitFieldProps {
  name: keyof LimitValues
  min: string
  step: string
  value: string
  onChange(value: string): void
}

function LimitField({ name, min, step, value, onChange }: LimitFieldProps) {
  const id = useId()
  return (
    <div className="choice">
      <label htmlFor={id}>{t(`limit.${name}`)}</label>
      <input
        id={id}
        type="number"
        inputMode="decimal"
        min={min}
        step={step}
        placeholder={t('limit.none')}
        aria-describedby={`${id}-explained`}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <small id={`${id}-explained`} className="muted">
        {t(`limit.${name}.explained`)}
      </small>
    </div>
  )
}

export function limitOptions({ budget, turns }: LimitValues): { maxBudgetUsd?: number; maxTurns?: number } {
  return {
    ...(budget !== '' && { maxBudgetUsd: Number(budget) }),
    ...(turns !== '' && { maxTurns: Number(turns) }),
  }
}
