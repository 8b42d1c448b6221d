import { useState } from 'react'
import type { UndoChanges, UndoResult } from '../../../../src/protocol/index.js'
import { count, t } from '../../i18n/i18n.js'
import { client, useHasRole } from '../../store/state.js'
import { Dialog } from '../../ui/dialog.js'
import { printable } from '../../ui/printable.js'
import { useAttempt } from '../../ui/use-attempt.js'
import { useLoaded } from '../../ui/use-loaded.js'
import { Counts } from './file-diff.js'

interface UndoDialogProps {
  sessionId: string
  body: UndoChanges
  /** It undoes an undo. */
  isRedo: boolean
  /** Whether a session works in the folder. */
  isBusy: boolean
  onClose(): void
}

/** Shows what an undo would change and what stands against it, and carries it out. */
export function UndoDialog({ sessionId, body, isRedo, isBusy, onClose }: UndoDialogProps) {
  const params = { id: sessionId }
  const [isWithBackground, setIsWithBackground] = useState(false)
  const wanted = isWithBackground ? { ...body, background: true } : body
  const isAdmin = useHasRole('admin')
  const plan = useLoaded(
    async () => (await client.undoChanges({ params, body: { ...wanted, preview: true } })).undo,
  )
  const carryOut = useAttempt(async () => {
    await client.undoChanges({ params, body: { ...wanted, ...(isBusy && { interrupt: true }) } })
    onClose()
  })
  const { value } = plan
  const isRefused = !value || value.conflicts.length > 0 || (value.adminFiles.length > 0 && !isAdmin)
  const isNothing = value?.diff.files.length === 0
  const problem = plan.problem || carryOut.problem
  return (
    <Dialog title={t(isRedo ? 'changes.redo' : 'changes.undo')} onClose={onClose}>
      <p>{t(isRedo ? 'changes.redo_explained' : 'changes.undo_explained')}</p>
      {!value && !plan.problem && <p className="muted">{t('loading')}</p>}
      {value && <Plan plan={value} isAdmin={isAdmin} />}
      {value && value.left.length > 0 && (
        <label className="row">
          <input
            type="checkbox"
            checked={isWithBackground}
            onChange={(event) => {
              setIsWithBackground(event.target.checked)
              setTimeout(plan.reload)
            }}
          />
          {count('changes.left', value.left.length)}
        </label>
      )}
      {isBusy && <p className="muted">{t('changes.busy')}</p>}
      {problem && <p role="alert">{problem}</p>}
      <div className="row end">
        <button type="button" onClick={onClose}>
          {t('cancel')}
        </button>
        <button
          type="button"
          className="primary"
          disabled={isRefused || isNothing || carryOut.isBusy}
          onClick={carryOut.run}
        >
          {t(isBusy ? 'changes.interrupt_and_undo' : isRedo ? 'changes.redo' : 'changes.undo')}
        </button>
      </div>
    </Dialog>
  )
}

function Plan({ plan, isAdmin }: { plan: UndoResult; isAdmin: boolean }) {
  const { diff, conflicts, adminFiles } = plan
  return (
    <>
      {diff.files.length === 0 && conflicts.length === 0 && <p>{t('changes.nothing_to_undo')}</p>}
      {diff.files.length > 0 && (
        <>
          <p>{count('changes.files', diff.totals.files)}</p>
          <ul className="file-list">
            {diff.files.map(({ path, change, insertions, deletions }) => (
              <li key={path} className="row">
                <code className="grow truncate">{printable(path)}</code>
                <span className="badge">{t(`changes.kind.${change}`)}</span>
                <Counts insertions={insertions} deletions={deletions} />
              </li>
            ))}
          </ul>
        </>
      )}
      {conflicts.length > 0 && (
        <div role="alert">
          <p>{t('changes.conflicts')}</p>
          <ul className="file-list">
            {conflicts.map(({ path, reason }) => (
              <li key={path}>
                <code>{printable(path)}</code>{' '}
                <span className="muted">{t(`changes.conflict.${reason}`)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {adminFiles.length > 0 && !isAdmin && (
        <p role="alert">{t('changes.admin_files', { files: adminFiles.join(', ') })}</p>
      )}
    </>
  )
}
