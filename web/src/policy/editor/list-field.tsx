import { useId, useState } from 'react'
import { t } from '../../i18n/i18n.js'
import { isPlain, listText, readList } from './rule-field.js'

interface ListFieldProps {
  label: string
  hint?: string
  value: readonly string[] | undefined
  rows?: number
  onChange(list: string[]): void
}

/** A list of patterns, one per line. A list that lines cannot hold is shown as JSON and left alone. */
export function ListField({ label, hint, value, rows = 2, onChange }: ListFieldProps) {
  const id = useId()
  // As typed: an empty line is no pattern yet.
  const [text, setText] = useState(() => listText(value))
  const isEditable = isPlain(value)
  const note = isEditable ? hint : t('rule.only_json')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="code-text"
        rows={Math.max(rows, Math.min(8, text.split('\n').length))}
        spellCheck={false}
        readOnly={!isEditable}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        value={isEditable ? text : JSON.stringify(value)}
        onChange={({ target }) => {
          setText(target.value)
          onChange(readList(target.value))
        }}
      />
      {note !== undefined && (
        <small id={`${id}-note`} className="muted">
          {note}
        </small>
      )}
    </div>
  )
}
