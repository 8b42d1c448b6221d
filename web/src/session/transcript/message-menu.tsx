import { useState } from 'react'
import type { Rewound } from '../../../../src/protocol/index.js'
import { count, t } from '../../i18n/i18n.js'
import { navigate, sessionPath } from '../../route.js'
import { client, useHasRole } from '../../store/state.js'
import { CopyButton } from '../../ui/copy.js'
import { Dialog } from '../../ui/dialog.js'
import { Icon } from '../../ui/icon.js'
import { useAttempt } from '../../ui/use-attempt.js'

interface MessageMenuProps {
  sessionId: string
  /** Our id for a message of the user, Claude's uuid for one of the agent. */
  at: string | null
  isFromUser: boolean
  text: string
}

/** Actions on one message: copy, fork, restore files. */
export function MessageMenu({ sessionId, at, isFromUser, text }: MessageMenuProps) {
  const mayAct = useHasRole('operator')
  const [isRewinding, setIsRewinding] = useState(false)
  const fork = useAttempt(async () => {
    const { session } = await client.forkSession({
      params: { id: sessionId },
      body: at === null ? {} : { at },
    })
    navigate(sessionPath(session.id))
  })
  return (
    <span className="message-menu">
      <CopyButton text={text} />
      {mayAct && at !== null && (
        <button
          type="button"
          className="plain icon-only"
          title={t('fork.here')}
          aria-label={t('fork.here')}
          disabled={fork.isBusy}
          onClick={fork.run}
        >
          <Icon name="fork" />
        </button>
      )}
      {mayAct && isFromUser && at !== null && (
        <button
          type="button"
          className="plain icon-only"
          title={t('rewind.here')}
          aria-label={t('rewind.here')}
          onClick={() => setIsRewinding(true)}
        >
          <Icon name="rewind" />
        </button>
      )}
      {fork.problem && <span role="alert">{fork.problem}</span>}
      {isRewinding && at !== null && (
        <RewindDialog sessionId={sessionId} to={at} onClose={() => setIsRewinding(false)} />
      )}
    </span>
  )
}

/** Restores files in two steps: a dry run that lists them, then the restore. */
function RewindDialog({ sessionId, to, onClose }: { sessionId: string; to: string; onClose(): void }) {
  const [plan, setPlan] = useState<Rewound | null>(null)
  const params = { id: sessionId }
  const preview = useAttempt(async () => {
    const { rewound } = await client.rewindSession({ params, body: { to, dryRun: true } })
    setPlan(rewound)
  })
  const rewind = useAttempt(async () => {
    await client.rewindSession({ params, body: { to } })
    onClose()
  })
  const problem = preview.problem || rewind.problem
  return (
    <Dialog title={t('rewind.title')} onClose={onClose}>
      <p>{t('rewind.explained')}</p>
      {plan && (
        <>
          <p>{plan.files.length === 0 ? t('rewind.nothing') : count('rewind.files', plan.files.length)}</p>
          <ul className="file-list">
            {plan.files.map((file) => (
              <li key={file}>
                <code>{file}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      {problem && <p role="alert">{problem}</p>}
      <div className="row end">
        <button type="button" onClick={onClose}>
          {t('cancel')}
        </button>
        {plan === null ? (
          <button type="button" className="primary" disabled={preview.isBusy} onClick={preview.run}>
            {t('rewind.preview')}
          </button>
        ) : (
          <button
            type="button"
            className="primary"
            disabled={rewind.isBusy || plan.files.length === 0}
            onClick={rewind.run}
          >
            {t('rewind.do')}
          </button>
        )}
      </div>
    </Dialog>
  )
}
