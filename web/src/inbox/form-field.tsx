import {
  type FormContent,
  type FormField,
  type FormProblem,
  readFormValue,
} from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { useHasRole } from '../store/state.js'
import { FieldWithProblem } from '../ui/field-with-problem.js'
import { printable } from '../ui/printable.js'

type Value = FormContent[string]

interface FieldProps {
  field: FormField
  problem: FormProblem | null
  value: Value | undefined
  onChange(value: Value | undefined): void
}

/** One field of a form, with its problem below it. */
export function Field({ field, problem, value, onChange }: FieldProps) {
  const { title, description, kind, isRequired, choices } = field
  const name = `${printable(title)}${isRequired ? ' *' : ''}`
  const note = description !== null && <small>{printable(description)}</small>
  const mayAct = useHasRole('operator')
  if (!mayAct)
    return (
      <p className="field">
        <strong>{name}</strong>
        {note}
      </p>
    )
  const text = value === undefined ? '' : String(value)
  const read = (typed: string) => onChange(typed === '' ? undefined : readFormValue(field, typed))
  return (
    <FieldWithProblem problem={problem && problemLabel(problem)}>
      {(described) => {
        if (kind === 'boolean')
          return (
            <label className="option">
              <input
                {...described}
                type="checkbox"
                checked={value === true}
                onChange={(event) => onChange(event.target.checked)}
              />
              <span>
                {name}
                {note}
              </span>
            </label>
          )
        if (kind === 'choices')
          return (
            <fieldset aria-describedby={described['aria-describedby']}>
              <legend>{name}</legend>
              <Choices field={field} value={value} onChange={onChange} />
            </fieldset>
          )
        return (
          <label>
            {name}
            {kind === 'choice' ? (
              <select {...described} value={text} onChange={(event) => read(event.target.value)}>
                <option value="">–</option>
                {choices.map((choice) => (
                  <option key={choice.value} value={choice.value}>
                    {printable(choice.title)}
                  </option>
                ))}
              </select>
            ) : (
              <input
                {...described}
                value={text}
                inputMode={kind === 'number' || kind === 'integer' ? 'decimal' : undefined}
                onChange={(event) => read(event.target.value)}
              />
            )}
            {note}
          </label>
        )
      }}
    </FieldWithProblem>
  )
}

function Choices({ field, value, onChange }: Omit<FieldProps, 'problem'>) {
  const picked = Array.isArray(value) ? value : []
  return field.choices.map((choice) => (
    <label key={choice.value} className="option">
      <input
        type="checkbox"
        checked={picked.includes(choice.value)}
        onChange={() =>
          onChange(
            picked.includes(choice.value)
              ? picked.filter((item) => item !== choice.value)
              : [...picked, choice.value],
          )
        }
      />
      <span>{printable(choice.title)}</span>
    </label>
  ))
}

function problemLabel(problem: FormProblem): string {
  switch (problem.kind) {
    case 'format':
      return t('form.problem.format', { format: problem.format })
    case 'choice':
    case 'choices':
      return t('form.problem.choice', { choices: printable(problem.choices) })
    case 'length':
      return t('form.problem.length', { range: rangeLabel(problem) })
    case 'range':
      return t('form.problem.range', { range: rangeLabel(problem) })
    case 'count':
      return t('form.problem.count', { range: rangeLabel(problem) })
    default:
      return t(`form.problem.${problem.kind}`)
  }
}

function rangeLabel({ min, max }: { min: number | null; max: number | null }): string {
  if (min === null) return t('at_most', { n: max ?? 0 })
  return max === null ? t('at_least', { n: min }) : `${min}–${max}`
}
