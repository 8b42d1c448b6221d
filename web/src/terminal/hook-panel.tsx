import { type HookStatus, isInOrder } from '../../../src/protocol/index.js'
import { dateTime, number, t } from '../i18n/i18n.js'
import { OwnCommand } from '../ui/own-command.js'
import { printable } from '../ui/printable.js'

/** State of the lifecycle hooks, without which no terminal session is visible, and how to fix it. */
export function HookPanel({ status }: { status: HookStatus }) {
  const { installations } = status
  if (installations.length === 0) return <HowToInstall />
  const isGood = isInOrder(status)
  return (
    <section className="card panel hooks" aria-label={t('hooks')}>
      <h2 className="row">
        <span className={isGood ? 'status-dot working still' : 'status-dot failed'} aria-hidden="true" />
        {isGood ? t('hooks.ok') : t('hooks.failing')}
      </h2>
      {isGood ? <Details status={status} /> : <Problems status={status} />}
    </section>
  )
}

function HowToInstall() {
  return (
    <section className="card panel hooks" aria-label={t('hooks')}>
      <h2 className="row">
        <span className="status-dot permission" aria-hidden="true" />
        {t('hooks.none')}
      </h2>
      <p>{t('hooks.install')}</p>
      <OwnCommand words="hooks install" />
      <p className="muted small">{t('hooks.install_else')}</p>
    </section>
  )
}

function Details({ status: { installations, hook, stream, fires } }: { status: HookStatus }) {
  return (
    <details>
      <summary>
        {fires === true && stream.last
          ? t('hooks.last_event', { time: dateTime(stream.last.occurredAtIso) })
          : t('hooks.no_events')}
      </summary>
      <dl className="keys small">
        {installations.map(({ path, way, scope, remote }) => (
          <Installed
            key={path}
            path={path}
            words={[
              t(`hooks.way.${way}`),
              t(`hooks.scope.${scope}`),
              t(remote ? 'hooks.remote_on' : 'hooks.remote_off'),
            ]}
          />
        ))}
        <dt>{t('hooks.program')}</dt>
        <dd>
          <code>{printable(hook?.target ?? hook?.path ?? '')}</code>
        </dd>
        <dt>{t('hooks.stream')}</dt>
        <dd>
          <code>{printable(stream.path)}</code> · {t('bytes', { n: number(stream.bytes) })}
        </dd>
      </dl>
      <p className="small">{t('hooks.uninstall')}</p>
      <OwnCommand words="hooks uninstall" />
    </details>
  )
}

function Installed({ path, words }: { path: string; words: readonly string[] }) {
  return (
    <>
      <dt>{t('hooks.installed')}</dt>
      <dd>
        <code>{printable(path)}</code> · {words.join(', ')}
      </dd>
    </>
  )
}

function Problems({ status: { installations, hook, switchedOffBy, broken } }: { status: HookStatus }) {
  const missing = [...new Set(installations.flatMap((installation) => installation.missing))]
  return (
    <>
      <ul className="findings">
        {switchedOffBy.map((path) => (
          <li key={`off ${path}`}>{t('hooks.disabled', { path: printable(path) })}</li>
        ))}
        {broken.map(({ path, problem }) => (
          <li key={`broken ${path}`}>
            {t('hooks.broken', { path: printable(path), problem: printable(problem) })}
          </li>
        ))}
        {hook?.works === false && <li>{t('hooks.cannot_run', { path: printable(hook.path) })}</li>}
        {missing.length > 0 && <li>{t('hooks.missing', { points: printable(missing.join(', ')) })}</li>}
      </ul>
      <p>{t('hooks.fix')}</p>
      <OwnCommand words="hooks install" />
    </>
  )
}
