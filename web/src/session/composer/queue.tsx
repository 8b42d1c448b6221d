import { useState } from 'react'
import type { QueuedMessage, Session } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { cancelUnsent } from '../../store/send.js'
import { client, useHasRole, useStore } from '../../store/state.js'
import { useEscape } from '../../ui/escape.js'
import { Icon } from '../../ui/icon.js'
import { printable } from '../../ui/printable.js'
import { useAttempt } from '../../ui/use-attempt.js'
import { messageText } from './attached-file.js'

/** Messages that are not delivered yet, and background tasks. */
export function Queue({ session }: { session: Session }) {
  const allUnsent = useStore((state) => state.unsent)
  const unsent = allUnsent.filter(({ sessionId }) => sessionId === session.id)
  const tasks = Object.entries(session.tasks)
  if (session.queue.length === 0 && unsent.length === 0 && tasks.length === 0) return null
  return (
    <ul className="queue">
      {tasks.map(([id, { kind, description }]) => (
        <TaskRow key={id} sessionId={session.id} taskId={id} text={description ?? kind} />
      ))}
      {session.queue.map((message) => (
        <QueuedRow key={message.messageId} sessionId={session.id} message={message} />
      ))}
      {unsent.map(({ key, body, isPersisted }) => (
        <li key={key}>
          <span className="badge amber" title={t(isPersisted ? 'unsent.stored' : 'unsent.not_stored')}>
            {t('unsent')}
          </span>
          <span className="grow truncate">
            {printable('text' in body ? body.text : messageText(body.content))}
          </span>
          <button
            type="button"
            className="plain icon-only"
            aria-label={t('queue.cancel')}
            onClick={() => cancelUnsent(key)}
          >
            <Icon name="cross" />
          </button>
        </li>
      ))}
    </ul>
  )
}

function TaskRow({ sessionId, taskId, text }: { sessionId: string; taskId: string; text: string }) {
  const mayAct = useHasRole('operator')
  const stop = useAttempt(() => client.stopTask({ params: { id: sessionId, taskId }, body: {} }))
  return (
    <li>
      <span className="badge green">{t('background')}</span>
      <span className="grow truncate">{printable(text)}</span>
      {stop.problem && <span role="alert">{stop.problem}</span>}
      {mayAct && (
        <button type="button" disabled={stop.isBusy} onClick={stop.run}>
          <Icon name="stop" /> {t('task.stop')}
        </button>
      )}
    </li>
  )
}

function QueuedRow({ sessionId, message }: { sessionId: string; message: QueuedMessage }) {
  const { messageId, text, whenBusy, hasContent } = message
  const mayAct = useHasRole('operator')
  const [edited, setEdited] = useState<string | null>(null)
  useEscape(edited !== null, () => setEdited(null))
  const params = { id: sessionId, messageId }
  const cancel = useAttempt(() => client.cancelMessage({ params }))
  const save = useAttempt(async () => {
    await client.editMessage({ params, body: { text: edited ?? text } })
    setEdited(null)
  })
  const problem = cancel.problem || save.problem
  return (
    <li>
      <span className="badge">{t(`queued.${whenBusy}`)}</span>
      {edited === null ? (
        <span className="grow truncate">{printable(text)}</span>
      ) : (
        <form
          className="grow row"
          onSubmit={(event) => {
            event.preventDefault()
            save.run()
          }}
        >
          <input
            className="grow"
            aria-label={t('queue.edit')}
            value={edited}
            // biome-ignore lint/a11y/noAutofocus: the user has just opened this field.
            autoFocus
            onChange={(event) => setEdited(event.target.value)}
          />
          <button type="submit" className="primary" disabled={save.isBusy || edited.trim() === ''}>
            {t('save')}
          </button>
        </form>
      )}
      {problem && <span role="alert">{problem}</span>}
      {mayAct && edited === null && !hasContent && (
        <button
          type="button"
          className="plain icon-only"
          aria-label={t('queue.edit')}
          onClick={() => setEdited(text)}
        >
          <Icon name="edit" />
        </button>
      )}
      {mayAct && (
        <button
          type="button"
          className="plain icon-only"
          aria-label={t('queue.cancel')}
          disabled={cancel.isBusy}
          onClick={cancel.run}
        >
          <Icon name="cross" />
        </button>
      )}
    </li>
  )
}
