import { type FormEvent, useState } from 'react'
import type { Session } from '../../../src/protocol/index.js'
import { count, t } from '../i18n/i18n.js'
import { client } from '../store/state.js'
import { Dialog } from '../ui/dialog.js'
import { printable } from '../ui/printable.js'
import { useAttempt } from '../ui/use-attempt.js'
import { useLoaded } from '../ui/use-loaded.js'

type Action = 'commit' | 'merge' | 'rebase' | 'push' | 'remove'

/** The state of a session's worktree, and what a user can do with it: commit, rebase, merge, push, keep or remove. */
export function WorktreeDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const params = { id: session.id }
  const [message, setMessage] = useState('')
  const [isForced, setIsForced] = useState(false)
  const [output, setOutput] = useState('')
  const [chosen, setChosen] = useState<{ action: Action; pullRequest?: boolean }>({ action: 'commit' })
  const status = useLoaded(async () => (await client.getWorktree({ params })).worktree)
  const act = useAttempt(async () => {
    const { action, pullRequest } = chosen
    const body = {
      action,
      ...(message.trim() !== '' && { message: message.trim() }),
      ...(pullRequest && { pullRequest }),
      ...(action === 'remove' && isForced && { force: true }),
    }
    const { result } = await client.changeWorktree({ params, body })
    setOutput([result.url ?? '', result.output].filter(Boolean).join('\n'))
    if (action === 'remove') return onClose()
    setMessage('')
    status.reload()
  })
  const { value } = status
  const run = (action: Action, pullRequest = false) => {
    setChosen({ action, pullRequest })
    setTimeout(act.run)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    run('commit')
  }
  const wouldLose = value !== null && value.uncommitted + value.ahead > 0
  const problem = status.problem || act.problem
  return (
    <Dialog title={t('worktree')} onClose={onClose}>
      {value && (
        <>
          <p>
            <code>{printable(value.branch)}</code> · <code>{printable(value.path)}</code>
          </p>
          <ul className="file-list">
            <li>{count('worktree.uncommitted', value.uncommitted)}</li>
            <li>{count('worktree.ahead', value.ahead, { base: printable(value.base) })}</li>
            <li>{count('worktree.behind', value.behind, { base: printable(value.base) })}</li>
          </ul>
          <form className="row" onSubmit={submit}>
            <label className="grow">
              <span className="visually-hidden">{t('worktree.message')}</span>
              <input
                value={message}
                maxLength={500}
                placeholder={t('worktree.message')}
                onChange={(event) => setMessage(event.target.value)}
              />
            </label>
            <button type="submit" disabled={act.isBusy || value.uncommitted === 0}>
              {t('worktree.commit')}
            </button>
          </form>
          <div className="row wrap">
            <button type="button" disabled={act.isBusy || value.behind === 0} onClick={() => run('rebase')}>
              {t('worktree.rebase', { base: printable(value.base) })}
            </button>
            <button
              type="button"
              className="primary"
              disabled={act.isBusy || value.ahead === 0}
              onClick={() => run('merge')}
            >
              {t('worktree.merge', { base: printable(value.base) })}
            </button>
            {value.hasRemote && (
              <button type="button" disabled={act.isBusy} onClick={() => run('push')}>
                {t('worktree.push')}
              </button>
            )}
            {value.hasRemote && value.hasGh && (
              <button type="button" disabled={act.isBusy} onClick={() => run('push', true)}>
                {t('worktree.pull_request')}
              </button>
            )}
          </div>
          {wouldLose && (
            <label className="row">
              <input
                type="checkbox"
                checked={isForced}
                onChange={(event) => setIsForced(event.target.checked)}
              />
              {t('worktree.lose')}
            </label>
          )}
        </>
      )}
      {!value && !status.problem && <p className="muted">{t('loading')}</p>}
      {output !== '' && <pre className="output">{printable(output)}</pre>}
      {problem && <p role="alert">{problem}</p>}
      <div className="row end">
        <button
          type="button"
          className="danger"
          disabled={act.isBusy || !value || (wouldLose && !isForced)}
          onClick={() => run('remove')}
        >
          {t('worktree.remove')}
        </button>
        <button type="button" onClick={onClose}>
          {t('worktree.keep')}
        </button>
      </div>
    </Dialog>
  )
}
