import { type FormEvent, useId, useState } from 'react'
import {
  type FormContent,
  type FormField,
  formFields,
  problemOfField,
  problemsOfForm,
  type Form as RequestedForm,
} from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { printable } from '../ui/printable.js'
import { Field } from './form-field.js'
import type { AnswerProps } from './request-card.js'
import { RequestFrame } from './request-frame.js'

/** An elicitation of an MCP server: a form, or a URL to visit. */
export function ServerForm({ form, isLocked, onAnswer }: AnswerProps & { form: RequestedForm }) {
  const fields = formFields(form)
  const [content, setContent] = useState<FormContent>(() => initialContent(fields))
  const isValid = form.url !== undefined || problemsOfForm(form, content).length === 0
  const [hasSubmitted, setHasSubmitted] = useState(false)
  const id = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setHasSubmitted(true)
    if (!isValid || isLocked) return
    onAnswer({ action: 'accept', ...(form.url === undefined && { content }) })
  }
  return (
    <RequestFrame
      actions={
        <div className="choices">
          <button type="submit" form={id} className="primary" disabled={isLocked}>
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
      }
    >
      <form id={id} className="questions" onSubmit={submit} noValidate>
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
            problem={hasSubmitted ? problemOfField(field, content) : null}
            value={Object.hasOwn(content, field.name) ? content[field.name] : undefined}
            onChange={(value) => setContent(withValue(content, field.name, value))}
          />
        ))}
      </form>
    </RequestFrame>
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
