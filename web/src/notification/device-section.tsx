import { useState } from 'react'
import type { May, PushState } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { errorLabel } from '../i18n/server-text.js'
import { client } from '../store/state.js'
import { OwnCommand } from '../ui/own-command.js'
import { useAttempt } from '../ui/use-attempt.js'
import { useLoaded } from '../ui/use-loaded.js'
import { canPush, subscribePush, unsubscribePush } from './push.js'

/** Turns push messages to this browser on and off. */
export function DeviceSection() {
  const loaded = useLoaded(async () => (await client.getPush()).push)
  const [changed, setChanged] = useState<PushState | null>(null)
  const push = changed ?? loaded.value
  return (
    <section className="card panel" aria-label={t('push.title')}>
      <h2>{t('push.title')}</h2>
      <p className="muted">{t('push.explained')}</p>
      {loaded.problem && <p role="alert">{loaded.problem}</p>}
      {push && <DeviceControls push={push} onChanged={setChanged} />}
    </section>
  )
}

interface DeviceControlsProps {
  push: PushState
  onChanged(push: PushState): void
}

function DeviceControls({ push, onChanged }: DeviceControlsProps) {
  const { device, limit, user } = push
  const [problem, setProblem] = useState('')
  const [isBusy, setIsBusy] = useState(false)
  const change = async (work: () => Promise<PushState>) => {
    setProblem('')
    setIsBusy(true)
    try {
      onChanged(await work())
    } catch (error) {
      setProblem(problemText(error))
    } finally {
      setIsBusy(false)
    }
  }
  const test = useAttempt(() => client.testPush({ body: {} }))
  const subscribe = (may: May) => void change(() => subscribePush(push, may))

  if (user === null)
    return (
      <>
        <p>{t('push.no_user')}</p>
        <OwnCommand words="phone" />
      </>
    )
  if (!canPush())
    return (
      <p role="status">
        {t('push.unsupported')} {t('push.install')}
      </p>
    )
  return (
    <>
      <label className="option">
        <input
          type="checkbox"
          checked={device !== null}
          disabled={isBusy}
          onChange={() => (device ? void change(unsubscribePush) : subscribe('see'))}
        />
        <span>{t('push.on')}</span>
      </label>
      {device && limit === 'answer' && (
        <label className="option">
          <input
            type="checkbox"
            checked={device.may === 'answer'}
            disabled={isBusy}
            onChange={() => subscribe(device.may === 'answer' ? 'see' : 'answer')}
          />
          <span>
            {t('push.answer')}
            <small>{t('push.answer_explained')}</small>
          </span>
        </label>
      )}
      {device && (
        <div className="row">
          <button type="button" disabled={test.isBusy} onClick={test.run}>
            {t('push.test')}
          </button>
        </div>
      )}
      {(problem || test.problem) && <p role="alert">{problem || test.problem}</p>}
    </>
  )
}

function problemText(error: unknown): string {
  if (!(error instanceof Error)) return errorLabel(error)
  if (error.message === 'denied') return t('notify.blocked')
  return error.name === 'HubError' ? errorLabel(error) : t('push.failed', { reason: error.message })
}
