import { type FormEvent, useId, useState } from 'react'
import { t } from '../i18n/i18n.js'
import { useEscape } from '../ui/escape.js'

interface DenyFormProps {
  isLocked: boolean
  onCancel(): void
  onDeny(message: string): void
}

/** Asks for the reason of a denial. It may stay empty. */
export function DenyForm({ isLocked, onCancel, onDeny }: DenyFormProps) {
  const [message, setMessage] = useState('')
  const id = useId()
  useEscape(true, onCancel)
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
          // biome-ignore lint/a11y/noAutofocus: the user has just opened this field.
          autoFocus
          onChange={(event) => setMessage(event.target.value)}
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
