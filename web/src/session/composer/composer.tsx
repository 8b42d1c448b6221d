import { type FormEvent, type KeyboardEvent, lazy, Suspense, useState } from 'react'
import type { Session, WhenBusy } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { rememberPrompt } from '../../store/prompt-history.js'
import { sendMessage } from '../../store/send.js'
import { getState } from '../../store/state.js'
import { Icon } from '../../ui/icon.js'
import { useAttempt } from '../../ui/use-attempt.js'
import { contentBlocks } from './attached-file.js'
import { Attachments, FileInput, useAttachments } from './attachment.js'
import { PromptField } from './prompt-field.js'
import { useDraft } from './use-draft.js'

const SavedPrompts = lazy(async () => ({ default: (await import('./saved-prompts.js')).SavedPrompts }))

const DELIVERIES: readonly WhenBusy[] = ['inject', 'queue', 'replace']

export function Composer({ session }: { session: Session }) {
  const [text, setText] = useDraft(session.id)
  const isEnded = session.state === 'ended'
  const { attachments, ...files } = useAttachments(isEnded)
  const [whenBusy, setWhenBusy] = useState<WhenBusy>('inject')
  const [showsPrompts, setShowsPrompts] = useState(false)
  const isBusy = session.turn !== null
  const isEmpty = text.trim() === '' && attachments.length === 0

  const sending = useAttempt(async (idempotencyKey) => {
    const delivery = isBusy ? { whenBusy } : {}
    const message = { ...delivery, idempotencyKey }
    const body = attachments.length > 0 ? { content: contentBlocks(text, attachments) } : { text }
    await sendMessage(session.id, { ...body, ...message })
    rememberPrompt({ who: getState().about?.you.name ?? '', sessionId: session.id }, text)
    setText('')
    files.clear()
  })
  const send = () => {
    if (!isEmpty && !isEnded) sending.run()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send()
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    send()
  }
  const problem = sending.problem || files.problem

  return (
    <div>
      <form className="composer" onSubmit={submit}>
        {problem && <p role="alert">{problem}</p>}
        <Attachments attachments={attachments} onRemove={files.remove} />
        <div className={files.isDropping ? 'composer-box dropping' : 'composer-box'}>
          <PromptField
            text={text}
            place={{ sessionId: session.id, folder: session.cwd }}
            label={t('composer.message')}
            placeholder={isEnded ? t('composer.ended') : isBusy ? t('composer.busy') : t('composer.idle')}
            rows={Math.min(10, Math.max(1, text.split('\n').length))}
            isDisabled={isEnded}
            onText={setText}
            onKeyDown={onKey}
            onPaste={files.onPaste}
          />
          <div className="composer-foot">
            <label className="button plain icon-only" title={t('attach')}>
              <Icon name="attach" />
              <span className="visually-hidden">{t('attach')}</span>
              <FileInput isDisabled={isEnded} onAdd={files.add} />
            </label>
            <button
              type="button"
              className="plain icon-only"
              aria-label={t('prompts')}
              title={t('prompts')}
              onClick={() => setShowsPrompts(true)}
            >
              <Icon name="bookmark" />
            </button>
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
          {files.isDropping && <p className="drop-hint">{t('attach.drop')}</p>}
        </div>
      </form>
      <Suspense>
        {showsPrompts && (
          <SavedPrompts
            draft={text}
            onInsert={(prompt) => setText(text.trim() === '' ? prompt : `${text.trimEnd()}\n\n${prompt}`)}
            onClose={() => setShowsPrompts(false)}
          />
        )}
      </Suspense>
    </div>
  )
}
