import { type FormEvent, useState } from 'react'
import { t } from '../i18n/i18n.js'
import { fieldsOf } from '../tool/call.js'
import { useEscape } from '../ui/escape.js'
import { FieldWithProblem } from '../ui/field-with-problem.js'
import { printable } from '../ui/printable.js'

interface EditInputProps {
  id: string
  input: unknown
  isLocked: boolean
  onCancel(): void
  onSave(input: Record<string, unknown>): void
}

/** Edits the input of a call. Strings are edited as text, all other values as JSON. */
export function EditInput({ id, input, isLocked, onCancel, onSave }: EditInputProps) {
  const fields = fieldsOf(input)
  useEscape(true, onCancel)
  const [texts, setTexts] = useState<Record<string, string>>(() =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value, null, 2),
      ]),
    ),
  )
  /** The field with invalid JSON. */
  const [invalid, setInvalid] = useState<string | null>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const read = readFields(fields, texts)
    setInvalid(typeof read === 'string' ? read : null)
    if (typeof read !== 'string' && !isLocked) onSave(read)
  }
  return (
    <form id={id} className="edit-input" onSubmit={submit}>
      {Object.keys(fields).map((name) => (
        <FieldWithProblem
          key={name}
          problem={name === invalid ? t('edit.not_json', { name: printable(name) }) : null}
        >
          {(described) => (
            <label>
              {printable(name)}
              <textarea
                {...described}
                rows={Math.min(12, Math.max(1, (texts[name] ?? '').split('\n').length))}
                value={texts[name] ?? ''}
                spellCheck={false}
                onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
              />
            </label>
          )}
        </FieldWithProblem>
      ))}
    </form>
  )
}

interface EditActionsProps {
  formId: string
  isLocked: boolean
  onCancel(): void
}

export function EditActions({ formId, isLocked, onCancel }: EditActionsProps) {
  return (
    <div className="choices">
      <button type="submit" form={formId} className="primary" disabled={isLocked}>
        {t('edit.allow')}
      </button>
      <button type="button" onClick={onCancel}>
        {t('cancel')}
      </button>
    </div>
  )
}

/** The new input, or the name of the first field with invalid JSON. */
function readFields(
  fields: Readonly<Record<string, unknown>>,
  texts: Readonly<Record<string, string>>,
): Record<string, unknown> | string {
  const result: Record<string, unknown> = {}
  for (const [name, before] of Object.entries(fields)) {
    const text = texts[name] ?? ''
    if (typeof before === 'string') result[name] = text
    else {
      try {
        result[name] = JSON.parse(text)
      } catch {
        return name
      }
    }
  }
  return result
}
