import type { Channel, Notification } from '../../../src/protocol/index.js'
import { count, dateTime, t } from '../i18n/i18n.js'
import { sessionPath } from '../route.js'
import { client } from '../store/state.js'
import { Link } from '../ui/link.js'
import { OwnCommand } from '../ui/own-command.js'
import { printable } from '../ui/printable.js'
import { useAttempt } from '../ui/use-attempt.js'
import { useLoaded } from '../ui/use-loaded.js'

const EVERY_MS = 5_000
const SHOWN = 10

/** The channels with their state, and the last notifications. For admins. */
export function ChannelSection() {
  const channels = useLoaded(async () => (await client.listChannels()).channels, EVERY_MS)
  const log = useLoaded(
    async () => (await client.listNotifications({ query: { limit: SHOWN } })).notifications,
    EVERY_MS,
  )
  return (
    <section className="card panel" aria-label={t('channels.title')}>
      <h2>{t('channels.title')}</h2>
      <p className="muted">{t('channels.explained')}</p>
      {channels.problem && <p role="alert">{channels.problem}</p>}
      {channels.value?.length === 0 && (
        <>
          <p>{t('channels.none')}</p>
          <OwnCommand words="channels add" />
        </>
      )}
      <ul className="item-list">
        {channels.value?.map((channel) => (
          <ChannelRow key={channel.name} channel={channel} onChanged={channels.reload} />
        ))}
      </ul>
      {channels.value !== null && channels.value.length > 0 && <Deliveries list={log.value ?? []} />}
    </section>
  )
}

interface ChannelRowProps {
  channel: Channel
  onChanged(): void
}

function ChannelRow({ channel, onChanged }: ChannelRowProps) {
  const { name, kind, user, may, target, source, isPaused, health, error, lastDeliveredAt, pending } = channel
  const params = { name }
  const act = (work: () => Promise<unknown>) => async () => {
    try {
      await work()
    } finally {
      onChanged()
    }
  }
  const test = useAttempt(act(() => client.testChannel({ params, body: {} })))
  const pause = useAttempt(act(() => client.changeChannel({ params, body: { isPaused: !isPaused } })))
  const remove = useAttempt(act(() => client.removeChannel({ params })))
  const verb = isPaused ? 'resume' : 'pause'
  return (
    <li className="row channel">
      <span className="grow">
        {printable(name)} <span className="badge">{kind}</span>{' '}
        <span className={`badge ${badgeOf(channel)}`}>
          {isPaused ? t('channels.paused') : t(`channels.health.${health}`)}
        </span>
        <small className="muted">
          {printable(user)} · {t(`may.${may}`)} · {printable(target)} · {t(`channels.source.${source}`)}
          {lastDeliveredAt !== null && ` · ${t('channels.last', { time: dateTime(lastDeliveredAt) })}`}
          {pending > 0 && ` · ${count('channels.waiting', pending)}`}
        </small>
        {error !== null && <small role="status">{printable(error)}</small>}
        {[test, pause, remove].map(({ problem }, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: three fixed places.
          problem ? (
            <small key={index} role="alert">
              {problem}
            </small>
          ) : null,
        )}
      </span>
      <button
        type="button"
        disabled={test.isBusy}
        onClick={test.run}
        aria-label={t('channels.test_one', { name })}
      >
        {t('channels.test')}
      </button>
      <button
        type="button"
        disabled={pause.isBusy}
        onClick={pause.run}
        aria-label={t(`channels.${verb}_one`, { name })}
      >
        {t(`channels.${verb}`)}
      </button>
      {source !== 'config' && (
        <button
          type="button"
          className="danger"
          disabled={remove.isBusy}
          onClick={remove.run}
          aria-label={t('channels.remove_one', { name })}
        >
          {t('channels.remove')}
        </button>
      )}
    </li>
  )
}

function badgeOf({ isPaused, health }: Channel): string {
  if (isPaused || health === 'unused') return ''
  return health === 'ok' ? 'green' : health === 'failing' ? 'amber' : 'red'
}

function Deliveries({ list }: { list: readonly Notification[] }) {
  return (
    <>
      <h3>{t('channels.log')}</h3>
      {list.length === 0 && <p className="muted">{t('channels.log_none')}</p>}
      <ul className="item-list deliveries">
        {list.map((notification) => (
          <Delivery key={notification.id} notification={notification} />
        ))}
      </ul>
    </>
  )
}

function Delivery({ notification }: { notification: Notification }) {
  const { channel, state, isReminder, subjects, createdAt, error } = notification
  const [first] = subjects
  const sessionIds = new Set(subjects.map(({ sessionId }) => sessionId))
  return (
    <li className="row">
      <span className="grow">
        {first && <Link to={sessionPath(first.sessionId)}>{t(`channels.kind.${first.kind}`)}</Link>}{' '}
        <span className={state === 'failed' || state === 'expired' ? 'badge red' : 'badge'}>
          {t(`channels.state.${state}`)}
        </span>
        <small className="muted">
          {dateTime(createdAt)} · {printable(channel)}
          {isReminder && ` · ${t('channels.reminder')}`}
          {sessionIds.size > 1 && ` · ${count('channels.sessions', sessionIds.size)}`}
        </small>
        {error !== null && state !== 'delivered' && <small role="status">{printable(error)}</small>}
      </span>
    </li>
  )
}
