import { type FormEvent, useState } from 'react'
import { t } from '../i18n/i18n.js'
import { fieldsOf } from '../tool/call.js'
import { useEscape } from '../ui/escape.js'

interface EditInputProps {
  input: unknown
  isLocked: boolean
  onCancel(): void
  onSave(input: Record<string, unknown>): void
}

/** Edits the input of a call. Strings are edited as text, all other values as JSON. */
export function EditInput({ input, isLocked, onCancel, onSave }: EditInputProps) {
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
  const [problem, setProblem] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const read = readFields(fields, texts)
    if (typeof read === 'string') setProblem(t('edit.not_json', { name: read }))
    else if (!isLocked) onSave(read)
  }
  return (
    <form className="edit-input" onSubmit={submit}>
      {Object.keys(fields).map((name) => (
        <label key={name}>
          {name}
          <textarea
            rows={Math.min(12, Math.max(1, (texts[name] ?? '').split('\n').length))}
            value={texts[name] ?? ''}
            spellCheck={false}
            onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
          />
        </label>
      ))}
      {problem && <p role="alert">{problem}</p>}
      <div className="choices">
        <button type="submit" className="primary" disabled={isLocked}>
          {t('edit.allow')}
        </button>
        <button type="button" onClick={onCancel}>
          {t('cancel')}
        </button>
      </div>
    </form>
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
