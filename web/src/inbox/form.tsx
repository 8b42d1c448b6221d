import { type FormEvent, useState } from 'react'
import {
  type FormContent,
  type FormField,
  formFields,
  problemsOfForm,
  type Form as RequestedForm,
  readFormValue,
} from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { printable } from '../ui/printable.js'
import type { AnswerProps } from './request-card.js'

/** An elicitation of an MCP server: a form, or a URL to visit. */
export function ServerForm({ form, isLocked, onAnswer }: AnswerProps & { form: RequestedForm }) {
  const fields = formFields(form)
  const [content, setContent] = useState<FormContent>(() => initialContent(fields))
  const problems = form.url === undefined ? problemsOfForm(form, content) : []
  const [hasSubmitted, setHasSubmitted] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setHasSubmitted(true)
    if (problems.length > 0 || isLocked) return
    onAnswer({ action: 'accept', ...(form.url === undefined && { content }) })
  }
  return (
    <form className="questions" onSubmit={submit}>
      <h2 className="request-title">
        <span className="status-dot question" aria-hidden="true" />
        {t('form.asks', { server: printable(form.server) })}
      </h2>
      <p>{printable(form.message)}</p>
      {form.url !== undefined && (
        <p>
          {/^https?:/i.test(form.url) ? (
            <a href={form.url} target="_blank" rel="noreferrer noopener">
              {printable(form.url)}
            </a>
          ) : (
            <code>{printable(form.url)}</code>
          )}
        </p>
      )}
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          value={Object.hasOwn(content, field.name) ? content[field.name] : undefined}
          onChange={(value) => setContent(withValue(content, field.name, value))}
        />
      ))}
      {hasSubmitted && problems.length > 0 && <p role="alert">{problems.map(printable).join(' ')}</p>}
      <div className="choices">
        <button type="submit" className="primary" disabled={isLocked}>
          {form.url === undefined ? t('answer') : t('form.done')}
        </button>
        <button
          type="button"
          className="danger"
          data-act="deny"
          disabled={isLocked}
          onClick={() => onAnswer({ action: 'decline' })}
        >
          {t('form.decline')}
        </button>
      </div>
    </form>
  )
}

type Value = FormContent[string]

function initialContent(fields: readonly FormField[]): FormContent {
  return Object.fromEntries(
    fields.flatMap(({ name, initial }) => (initial === null ? [] : [[name, initial]])),
  )
}

function withValue(content: FormContent, name: string, value: Value | undefined): FormContent {
  const { [name]: _, ...rest } = content
  return value === undefined ? rest : { ...rest, [name]: value }
}

interface FieldProps {
  field: FormField
  value: Value | undefined
  onChange(value: Value | undefined): void
}

function Field({ field, value, onChange }: FieldProps) {
  const { title, description, kind, isRequired, choices } = field
  const name = `${printable(title)}${isRequired ? ' *' : ''}`
  const note = description !== null && <small>{printable(description)}</small>
  if (kind === 'boolean')
    return (
      <label className="option">
        <input
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
  if (kind === 'choices') {
    const picked = Array.isArray(value) ? value : []
    return (
      <fieldset>
        <legend>{name}</legend>
        {choices.map((choice) => (
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
        ))}
      </fieldset>
    )
  }
  const text = value === undefined ? '' : String(value)
  const read = (typed: string) => onChange(typed === '' ? undefined : readFormValue(field, typed))
  return (
    <label>
      {name}
      {kind === 'choice' ? (
        <select value={text} onChange={(event) => read(event.target.value)}>
          <option value="">–</option>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {printable(choice.title)}
            </option>
          ))}
        </select>
      ) : (
        <input
          value={text}
          inputMode={kind === 'number' || kind === 'integer' ? 'decimal' : undefined}
          onChange={(event) => read(event.target.value)}
        />
      )}
      {note}
    </label>
  )
}
