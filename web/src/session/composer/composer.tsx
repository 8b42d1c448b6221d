import { type FormEvent, type KeyboardEvent, useEffect, useState } from 'react'
import type { Session, WhenBusy } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { sendMessage } from '../../store/send.js'
import { Icon } from '../../ui/icon.js'
import { useAttempt } from '../../ui/use-attempt.js'
import { contentBlocks, ImageInput, Thumbnails, useImages } from './attachment.js'

const DELIVERIES: readonly WhenBusy[] = ['inject', 'queue', 'replace']

export function Composer({ session }: { session: Session }) {
  const [text, setText] = useDraft(session.id)
  const { images, ...attachments } = useImages()
  const [whenBusy, setWhenBusy] = useState<WhenBusy>('inject')
  const isBusy = session.turn !== null
  const isEnded = session.state === 'ended'
  const isEmpty = text.trim() === '' && images.length === 0

  const sending = useAttempt(async (idempotencyKey) => {
    const delivery = isBusy ? { whenBusy } : {}
    const message = { ...delivery, idempotencyKey }
    const body = images.length > 0 ? { content: contentBlocks(text, images) } : { text }
    await sendMessage(session.id, { ...body, ...message })
    setText('')
    attachments.clear()
  })
  const send = () => {
    if (!isEmpty && !isEnded) sending.run()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send()
  }
  const onKey = (event: KeyboardEvent) => {
    // IME: Enter also confirms a Korean or Japanese composition.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  const problem = sending.problem || attachments.problem

  return (
    <form className="composer" onSubmit={submit}>
      {problem && <p role="alert">{problem}</p>}
      <Thumbnails images={images} onRemove={attachments.remove} />
      <div className="composer-box">
        <textarea
          aria-label={t('composer.message')}
          rows={Math.min(10, Math.max(1, text.split('\n').length))}
          value={text}
          disabled={isEnded}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKey}
          onPaste={attachments.onPaste}
          placeholder={isEnded ? t('composer.ended') : isBusy ? t('composer.busy') : t('composer.idle')}
        />
        <div className="composer-foot">
          <label className="button plain icon-only" title={t('image.add')}>
            <Icon name="image" />
            <span className="visually-hidden">{t('image.add')}</span>
            <ImageInput isDisabled={isEnded} onAdd={attachments.add} />
          </label>
          {isBusy && (
            <select
              aria-label={t('when_busy')}
              value={whenBusy}
              onChange={(event) =>
                setWhenBusy(DELIVERIES.find((name) => name === event.target.value) ?? 'inject')
              }
            >
              {DELIVERIES.map((name) => (
                <option key={name} value={name}>
                  {t(`when_busy.${name}`)}
                </option>
              ))}
            </select>
          )}
          <span className="grow" />
          <button
            type="submit"
            className="primary icon-only"
            aria-label={t('send')}
            title={t('send')}
            disabled={isEnded || sending.isBusy || isEmpty}
          >
            <Icon name="send" />
          </button>
        </div>
      </div>
    </form>
  )
}

/** Keeps the draft of each session across reloads and navigation. */
function useDraft(sessionId: string): [string, (text: string) => void] {
  const key = `signalbox.draft.${sessionId}`
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '')
  useEffect(() => {
    setText(sessionStorage.getItem(key) ?? '')
  }, [key])
  return [
    text,
    (next) => {
      setText(next)
      try {
        if (next === '') sessionStorage.removeItem(key)
        else sessionStorage.setItem(key, next)
      } catch {
        // Over the storage quota: the draft is kept only until the page is closed.
      }
    },
  ]
}
