import { type ReactNode, useEffect, useState } from 'react'
import type { Workspace } from '../../../src/protocol/index.js'
import { dateTime, t } from '../i18n/i18n.js'
import { LANGUAGE_NAMES, LANGUAGES } from '../i18n/language.js'
import { reasonLabel } from '../i18n/server-text.js'
import { ChannelSection } from '../notification/channel-section.js'
import { DeviceSection } from '../notification/device-section.js'
import { PairDialog } from '../notification/pair-dialog.js'
import { UserSection } from '../notification/user-section.js'
import { playSound, requestNotificationPermission } from '../notify.js'
import { logOut } from '../store/login.js'
import { setPreference, THEMES, usePreference } from '../store/preference.js'
import { client, useHasRole, useStore } from '../store/state.js'
import { Icon } from '../ui/icon.js'
import { Link } from '../ui/link.js'
import { OwnCommand } from '../ui/own-command.js'
import { useAttempt } from '../ui/use-attempt.js'
import { Tokens } from './tokens.js'

/** Views that do not fit into the navigation bar on a phone. */
const PHONE_LINKS = [
  ['/grid', 'grid', 'nav.grid'],
  ['/terminals', 'terminal', 'nav.terminals'],
  ['/usage', 'usage', 'nav.usage'],
  ['/policy', 'policy', 'nav.policy'],
] as const

export function SettingsView() {
  const about = useStore((state) => state.about)
  const isAdmin = useHasRole('admin')
  const [isPairing, setIsPairing] = useState(false)
  return (
    <div className="page narrow">
      <header>
        <h1>{t('nav.settings')}</h1>
        <p>{t('settings.explained')}</p>
      </header>
      <nav className="phone-links" aria-label={t('more')}>
        {PHONE_LINKS.map(([path, icon, label]) => (
          <Link key={path} to={path} className="button">
            <Icon name={icon} /> {t(label)}
          </Link>
        ))}
      </nav>
      <AppearanceSection />
      <NotificationSection />
      <DeviceSection />
      <WorkspaceSection />
      {isAdmin && <ChannelSection />}
      {isAdmin && <UserSection />}
      {isAdmin && <Tokens />}
      <Section title={t('settings.about')}>
        {about && (
          <dl className="keys">
            <dt>Signalbox</dt>
            <dd>{about.version}</dd>
            <dt>{t('settings.you')}</dt>
            <dd>
              {about.you.name} ({t(`role.${about.you.role}`)})
            </dd>
            <dt>{t('settings.home')}</dt>
            <dd>
              <code>{about.home}</code>
            </dd>
            <dt>{t('settings.started')}</dt>
            <dd>{dateTime(about.startedAt)}</dd>
            <dt>{t('jail')}</dt>
            <dd>
              {about.jail.state === 'verified'
                ? t('jail.on')
                : t('jail.off', { reason: reasonLabel(about.jail) || about.jail.state })}
            </dd>
            <dt>{t('model')}</dt>
            <dd>{about.model === 'scripted' ? t('scripted.explained') : t('model.account')}</dd>
          </dl>
        )}
        <p className="muted">{t('settings.phone')}</p>
        <OwnCommand words="open" />
        <div className="row">
          {isAdmin && (
            <button type="button" onClick={() => setIsPairing(true)}>
              {t('pair.start')}
            </button>
          )}
          <button type="button" onClick={() => void logOut()}>
            {t('log_out')}
          </button>
        </div>
      </Section>
      {isPairing && <PairDialog onClose={() => setIsPairing(false)} />}
    </div>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="card panel" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

function AppearanceSection() {
  const { theme, language } = usePreference()
  return (
    <Section title={t('settings.appearance')}>
      <div className="two-columns">
        <label>
          {t('theme')}
          <select
            value={theme}
            onChange={(event) =>
              setPreference({ theme: THEMES.find((name) => name === event.target.value) ?? 'system' })
            }
          >
            {THEMES.map((name) => (
              <option key={name} value={name}>
                {t(`theme.${name}`)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t('language')}
          <select
            value={language}
            onChange={(event) =>
              setPreference({ language: LANGUAGES.find((name) => name === event.target.value) ?? 'en' })
            }
          >
            {LANGUAGES.map((name) => (
              <option key={name} value={name} lang={name}>
                {LANGUAGE_NAMES[name]}
              </option>
            ))}
          </select>
        </label>
      </div>
    </Section>
  )
}

function NotificationSection() {
  const { hasNotifications, hasSound } = usePreference()
  const [isBlocked, setIsBlocked] = useState(false)
  const toggle = async () => {
    if (hasNotifications) return setPreference({ hasNotifications: false })
    const isAllowed = await requestNotificationPermission()
    setIsBlocked(!isAllowed)
    setPreference({ hasNotifications: isAllowed })
  }
  return (
    <Section title={t('settings.notifications')}>
      <label className="option">
        <input type="checkbox" checked={hasNotifications} onChange={() => void toggle()} />
        <span>
          {t('notify.browser')}
          <small>{t('notify.browser_explained')}</small>
        </span>
      </label>
      {isBlocked && <p role="alert">{t('notify.blocked')}</p>}
      <label className="option">
        <input
          type="checkbox"
          checked={hasSound}
          onChange={() => {
            setPreference({ hasSound: !hasSound })
            if (!hasSound) playSound()
          }}
        />
        <span>
          {t('notify.sound')}
          <small>{t('notify.sound_explained')}</small>
        </span>
      </label>
    </Section>
  )
}

function WorkspaceSection() {
  const isAdmin = useHasRole('admin')
  const [workspaces, setWorkspaces] = useState<readonly Workspace[]>([])
  useEffect(() => {
    client.listWorkspaces().then(
      (reply) => setWorkspaces(reply.workspaces),
      () => {},
    )
  }, [])
  return (
    <Section title={t('settings.workspaces')}>
      <p className="muted">{workspaces.length > 0 ? t('trust.explained') : t('trust.none')}</p>
      <ul className="item-list">
        {workspaces.map((workspace) => (
          <TrustedFolder
            key={workspace.path}
            workspace={workspace}
            mayAct={isAdmin}
            onRemoved={() => setWorkspaces(workspaces.filter(({ path }) => path !== workspace.path))}
          />
        ))}
      </ul>
    </Section>
  )
}

interface TrustedFolderProps {
  workspace: Workspace
  mayAct: boolean
  onRemoved(): void
}

function TrustedFolder({ workspace, mayAct, onRemoved }: TrustedFolderProps) {
  const distrust = useAttempt(async () => {
    await client.distrustWorkspace({ body: { path: workspace.path } })
    onRemoved()
  })
  return (
    <li className="row">
      <span className="grow">
        <code>{workspace.path}</code>
        <small className="muted">
          {workspace.trustedBy} · {dateTime(workspace.trustedAt)}
        </small>
      </span>
      {distrust.problem && <span role="alert">{distrust.problem}</span>}
      {mayAct && (
        <button type="button" disabled={distrust.isBusy} onClick={distrust.run}>
          {t('trust.remove')}
        </button>
      )}
    </li>
  )
}
