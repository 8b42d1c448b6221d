import { type FormEvent, useState } from 'react'
import type { Session } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { client } from '../store/state.js'
import { Dialog } from '../ui/dialog.js'
import { useAttempt } from '../ui/use-attempt.js'
import { sessionName } from './session-label.js'

export function StopDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const stop = useAttempt(async () => {
    await client.stopSession({ params: { id: session.id }, body: {} })
    onClose()
  })
  return (
    <Dialog title={t('stop.title')} onClose={onClose}>
      <p>{t('stop.explained')}</p>
      {stop.problem && <p role="alert">{stop.problem}</p>}
      <div className="row end">
        <button type="button" onClick={onClose}>
          {t('cancel')}
        </button>
        <button type="button" className="danger" disabled={stop.isBusy} onClick={stop.run}>
          {t('stop')}
        </button>
      </div>
    </Dialog>
  )
}

export function RenameDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const [title, setTitle] = useState(sessionName(session).slice(0, 200))
  const rename = useAttempt(async () => {
    await client.changeSession({ params: { id: session.id }, body: { title: title.trim() } })
    onClose()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    rename.run()
  }
  return (
    <Dialog title={t('rename')} onClose={onClose}>
      <form className="panel-form" onSubmit={submit}>
        <label>
          {t('title')}
          <input value={title} maxLength={200} onChange={(event) => setTitle(event.target.value)} />
        </label>
        {rename.problem && <p role="alert">{rename.problem}</p>}
        <div className="row end">
          <button type="button" onClick={onClose}>
            {t('cancel')}
          </button>
          <button type="submit" className="primary" disabled={rename.isBusy || title.trim() === ''}>
            {t('save')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
