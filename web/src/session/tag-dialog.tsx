import { type FormEvent, useState } from 'react'
import type { Session } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { client } from '../store/state.js'
import { Dialog } from '../ui/dialog.js'
import { useAttempt } from '../ui/use-attempt.js'

/** Edits the tags of a session as one line with commas. */
export function TagDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const [text, setText] = useState(session.tags.join(', '))
  const save = useAttempt(async () => {
    const tags = [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '')
    await client.changeSession({ params: { id: session.id }, body: { tags } })
    onClose()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.run()
  }
  return (
    <Dialog title={t('tags')} onClose={onClose}>
      <form className="panel-form" onSubmit={submit}>
        <label>
          {t('tags.hint')}
          <input value={text} maxLength={500} onChange={(event) => setText(event.target.value)} />
        </label>
        {save.problem && <p role="alert">{save.problem}</p>}
        <div className="row end">
          <button type="button" onClick={onClose}>
            {t('cancel')}
          </button>
          <button type="submit" className="primary" disabled={save.isBusy}>
            {t('save')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
