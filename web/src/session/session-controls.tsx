import { useState } from 'react'
import type { Session } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { navigate, sessionPath } from '../route.js'
import { client, useHasRole } from '../store/state.js'
import { Icon } from '../ui/icon.js'
import { Menu } from '../ui/menu.js'
import { useAttempt } from '../ui/use-attempt.js'
import { remedyOf } from './condition-label.js'
import { InterruptKey } from './interrupt-key.js'
import { RenameDialog, StopDialog } from './session-dialog.js'
import { TagDialog } from './tag-dialog.js'
import { WorktreeDialog } from './worktree-dialog.js'

/** Actions on a session: interrupt, continue, resume, rename, pin, archive, mute, tag, fork, compact, end. */
export function SessionControls({ session }: { session: Session }) {
  const mayAct = useHasRole('operator')
  const [dialog, setDialog] = useState<'stop' | 'rename' | 'tags' | 'worktree' | null>(null)
  const params = { id: session.id }
  const interrupt = useAttempt(() => client.interruptSession({ params, body: {} }))
  const resume = useAttempt(() => client.resumeSession({ params, body: {} }))
  const continueTurn = useAttempt(() => client.resumeSession({ params, body: { continue: true } }))
  const pin = useAttempt(() => client.changeSession({ params, body: { isPinned: !session.isPinned } }))
  const archive = useAttempt(() =>
    client.changeSession({ params, body: { isArchived: !session.isArchived } }),
  )
  const mute = useAttempt(() => client.changeSession({ params, body: { isMuted: !session.isMuted } }))
  const compact = useAttempt(() => client.compactSession({ params, body: {} }))
  const fork = useAttempt(async () => {
    const { session: copy } = await client.forkSession({ params, body: {} })
    navigate(sessionPath(copy.id))
  })
  const remedy = remedyOf(session)
  const canInterrupt = mayAct && session.turn !== null && session.kind === 'managed'
  if (!mayAct || session.kind === 'observed') return null
  const problem = [interrupt, resume, continueTurn, pin, archive, mute, fork, compact]
    .map((attempt) => attempt.problem)
    .find(Boolean)
  return (
    <div className="controls">
      <InterruptKey canInterrupt={canInterrupt} onInterrupt={interrupt.run} />
      {problem && <span role="alert">{problem}</span>}
      {canInterrupt && (
        <button type="button" disabled={interrupt.isBusy} onClick={interrupt.run} title={t('interrupt.keys')}>
          <Icon name="pause" /> <span className="button-label">{t('interrupt')}</span>
        </button>
      )}
      {remedy !== null && (
        <button type="button" className="primary" disabled={continueTurn.isBusy} onClick={continueTurn.run}>
          <Icon name="play" /> {remedy === 'continue' ? t('continue') : t('list.retry')}
        </button>
      )}
      {session.state === 'ended' && (
        <button type="button" className="primary" disabled={resume.isBusy} onClick={resume.run}>
          <Icon name="play" /> {t('resume')}
        </button>
      )}
      <Menu label={t('more')} icon="more">
        <button type="button" className="plain" onClick={() => setDialog('rename')}>
          <Icon name="edit" /> {t('rename')}
        </button>
        <button type="button" className="plain" disabled={pin.isBusy} onClick={pin.run}>
          <Icon name="pin" /> {t(session.isPinned ? 'unpin' : 'pin')}
        </button>
        <button type="button" className="plain" disabled={archive.isBusy} onClick={archive.run}>
          <Icon name="archive" /> {t(session.isArchived ? 'unarchive' : 'archive')}
        </button>
        <button type="button" className="plain" disabled={mute.isBusy} onClick={mute.run}>
          <Icon name="bell" /> {t(session.isMuted ? 'unmute' : 'mute')}
        </button>
        <button type="button" className="plain" onClick={() => setDialog('tags')}>
          <Icon name="list" /> {t('tags')}
        </button>
        {session.worktree && !session.worktree.isRemoved && (
          <button type="button" className="plain" onClick={() => setDialog('worktree')}>
            <Icon name="branch" /> {t('worktree')}
          </button>
        )}
        <button type="button" className="plain" disabled={fork.isBusy} onClick={fork.run}>
          <Icon name="fork" /> {t('fork')}
        </button>
        <button type="button" className="plain" disabled={compact.isBusy} onClick={compact.run}>
          <Icon name="list" /> {t('compact')}
        </button>
        {session.state !== 'ended' && (
          <button type="button" className="plain danger" onClick={() => setDialog('stop')}>
            <Icon name="stop" /> {t('stop')}
          </button>
        )}
      </Menu>
      {dialog === 'stop' && <StopDialog session={session} onClose={() => setDialog(null)} />}
      {dialog === 'worktree' && <WorktreeDialog session={session} onClose={() => setDialog(null)} />}
      {dialog === 'tags' && <TagDialog session={session} onClose={() => setDialog(null)} />}
      {dialog === 'rename' && <RenameDialog session={session} onClose={() => setDialog(null)} />}
    </div>
  )
}
