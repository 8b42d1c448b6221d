import { useState } from 'react'
import type { Session } from '../../../../src/protocol/index.js'
import { count, t } from '../../i18n/i18n.js'
import { client, useHasRole, useStore } from '../../store/state.js'
import { Dialog } from '../../ui/dialog.js'
import { useEscape } from '../../ui/escape.js'
import { useAttempt } from '../../ui/use-attempt.js'
import { remedyOf } from '../condition-label.js'
import { AllowDialog } from './allow-dialog.js'
import { continueSession, deleteSession, forEach } from './bulk.js'

interface SelectionBarProps {
  selected: readonly Session[]
  onSelectAll(): void
  onClose(): void
}

/** Actions on the selected sessions. Each shows how many sessions it applies to, and is left out for none. */
export function SelectionBar({ selected, onSelectAll, onClose }: SelectionBarProps) {
  const isAdmin = useHasRole('admin')
  const [confirmed, setConfirmed] = useState<'stop' | 'delete' | 'allow' | null>(null)
  const pending = useStore((state) => state.requests)
  const requests = selected.flatMap(({ pendingRequests }) =>
    pendingRequests.flatMap((id) => pending.get(id) ?? []),
  )
  const stuck = selected.filter((session) => remedyOf(session) !== null)
  const running = selected.filter(({ kind, state }) => kind === 'managed' && state !== 'ended')
  const listed = selected.filter(({ isArchived }) => !isArchived)
  const archived = selected.filter(({ isArchived }) => isArchived)
  const isPinned = selected.length > 0 && selected.every((session) => session.isPinned)
  const change = (sessions: readonly Session[], body: { isArchived?: boolean; isPinned?: boolean }) =>
    forEach(sessions, ({ id }) => client.changeSession({ params: { id }, body }))
  const actions = [
    useAction('list.bulk.continue', stuck, () => forEach(stuck, ({ id }) => continueSession(id))),
    useAction('list.bulk.archive', listed, () => change(listed, { isArchived: true })),
    useAction('list.bulk.unarchive', archived, () => change(archived, { isArchived: false })),
    useAction(isPinned ? 'list.bulk.unpin' : 'list.bulk.pin', selected, () =>
      change(selected, { isPinned: !isPinned }),
    ),
  ]
  const problem = actions.map((action) => action.problem).find(Boolean)
  useEscape(confirmed === null, onClose)
  return (
    <div className="selection-bar" role="toolbar" aria-label={t('list.selected')}>
      <span className="grow" role="status">
        {count('list.selection', selected.length)}
      </span>
      <button type="button" className="plain" onClick={onSelectAll}>
        {t('list.select_all')}
      </button>
      <button type="button" className="plain" onClick={onClose}>
        {t('list.select_done')}
      </button>
      <div className="selection-actions">
        {actions
          .filter(({ size }) => size > 0)
          .map(({ text, size, isBusy, run }) => (
            <button key={text} type="button" disabled={isBusy} onClick={run}>
              {t(text, { n: size })}
            </button>
          ))}
        {requests.length > 0 && (
          <button type="button" onClick={() => setConfirmed('allow')}>
            {t('list.bulk.allow', { n: requests.length })}
          </button>
        )}
        {running.length > 0 && (
          <button type="button" className="danger" onClick={() => setConfirmed('stop')}>
            {t('list.bulk.stop', { n: running.length })}
          </button>
        )}
        {isAdmin && selected.length > 0 && (
          <button type="button" className="danger" onClick={() => setConfirmed('delete')}>
            {t('list.bulk.delete', { n: selected.length })}
          </button>
        )}
      </div>
      {problem && <span role="alert">{problem}</span>}
      {confirmed === 'allow' && <AllowDialog requests={requests} onClose={() => setConfirmed(null)} />}
      {(confirmed === 'stop' || confirmed === 'delete') && (
        <ConfirmDialog
          action={confirmed}
          sessions={confirmed === 'stop' ? running : selected}
          onClose={() => setConfirmed(null)}
        />
      )}
    </div>
  )
}

type ActionText = `list.bulk.${'continue' | 'archive' | 'unarchive' | 'pin' | 'unpin'}`

function useAction(text: ActionText, sessions: readonly Session[], act: () => Promise<void>) {
  return { text, size: sessions.length, ...useAttempt(act) }
}

interface ConfirmDialogProps {
  action: 'stop' | 'delete'
  sessions: readonly Session[]
  onClose(): void
}

function ConfirmDialog({ action, sessions, onClose }: ConfirmDialogProps) {
  const attempt = useAttempt(async () => {
    await forEach(sessions, ({ id }) =>
      action === 'stop' ? client.stopSession({ params: { id }, body: {} }) : deleteSession(id),
    )
    onClose()
  })
  return (
    <Dialog title={count(`list.confirm.${action}`, sessions.length)} onClose={onClose}>
      <p>{t(`list.confirm.${action}.explained`)}</p>
      {attempt.problem && <p role="alert">{attempt.problem}</p>}
      <div className="row end">
        <button type="button" onClick={onClose}>
          {t('cancel')}
        </button>
        <button type="button" className="danger" disabled={attempt.isBusy} onClick={attempt.run}>
          {t(`list.bulk.${action}`, { n: sessions.length })}
        </button>
      </div>
    </Dialog>
  )
}
