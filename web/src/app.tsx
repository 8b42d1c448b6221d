import { type ComponentType, type CSSProperties, Suspense, useCallback, useEffect, useState } from 'react'
import type { TextKey } from './i18n/dictionary.js'
import { setLanguage, t } from './i18n/i18n.js'
import { Login } from './login.js'
import { waitingLabel } from './notify.js'
import { PaletteKey } from './palette/palette-key.js'
import { navigate, parseRoute, type Route, usePath } from './route.js'
import { type ListView, useListView } from './session/list/list-view.js'
import { SessionList } from './session/list/session-list.js'
import { openSession } from './store/open-session.js'
import { usePreference } from './store/preference.js'
import { useHasRole, useStore } from './store/state.js'
import { useEscapeKey } from './ui/escape.js'
import { Icon, type IconName } from './ui/icon.js'
import { lazyView } from './ui/lazy-view.js'
import { Link } from './ui/link.js'
import { useKeys } from './ui/use-keys.js'
import { usePhone } from './ui/use-phone.js'
import { UnknownPath } from './unknown-path.js'

const SessionView = lazyView(async () => (await import('./session/view.js')).SessionView)
const NewSession = lazyView(async () => (await import('./session/new/new-session.js')).NewSession)
const InboxView = lazyView(async () => (await import('./inbox/view.js')).InboxView)
const GridView = lazyView(async () => (await import('./grid/view.js')).GridView)
const KeyHelp = lazyView(async () => (await import('./help/key-help.js')).KeyHelp)
const PolicyView = lazyView(async () => (await import('./policy/view.js')).PolicyView)
const SearchView = lazyView(async () => (await import('./search/view.js')).SearchView)
const UsageView = lazyView(async () => (await import('./usage/view.js')).UsageView)
const TerminalsView = lazyView(async () => (await import('./terminal/view.js')).TerminalsView)
const SettingsView = lazyView(async () => (await import('./settings/view.js')).SettingsView)
const RequestView = lazyView(async () => (await import('./notification/request-view.js')).RequestView)
/** Pages that need no login, by path. */
const OPEN_PAGES: Readonly<Record<string, ComponentType>> = {
  '/pair': lazyView(async () => (await import('./notification/pair-page.js')).PairPage),
  '/answer': lazyView(async () => (await import('./notification/answer-page.js')).AnswerPage),
}

export function App() {
  const isLoggedIn = useStore((state) => state.isLoggedIn)
  const language = useLanguage()
  const OpenPage = OPEN_PAGES[usePath()]
  if (OpenPage)
    return (
      <Suspense key={language} fallback={<Connecting />}>
        <OpenPage />
      </Suspense>
    )
  if (isLoggedIn === null) return <Connecting />
  return isLoggedIn ? <Shell key={language} /> : <Login key={language} />
}

/** The loaded language. It is the key of the page, so that a change re-renders everything. */
function useLanguage(): string {
  const { language, theme } = usePreference()
  const [shown, setShown] = useState(language)
  useEffect(() => {
    setLanguage(language).then(
      () => setShown(language),
      () => {},
    )
  }, [language])
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme
  }, [theme])
  return shown
}

function Connecting() {
  const connection = useStore((state) => state.connection)
  return (
    <main className="empty" role="status">
      {connection === 'waiting' ? t('connection.lost') : t('connection.connecting')}
    </main>
  )
}

function Shell() {
  const route = parseRoute(usePath())
  const connection = useStore((state) => state.connection)
  const storage = useStore((state) => state.about?.storage ?? null)
  const id = route.view === 'session' ? route.id : null
  useEffect(() => openSession(id), [id])
  useNavigationKeys()
  const [hasHelp, setHasHelp] = useState(false)
  useKeys({ '?': () => setHasHelp(true) })
  useEscapeKey()
  const [isPaletteOpen, setIsPaletteOpen] = useState(false)
  const togglePalette = useCallback(() => setIsPaletteOpen((before) => !before), [])
  const isPhone = usePhone()
  const listView = useListView()
  const hasList = route.view === 'sessions' || route.view === 'session' || route.view === 'new'
  const shows = route.view === 'sessions' ? 'shows-list' : 'shows-main'
  return (
    <div className="app-frame">
      {connection === 'live' && storage && (
        <p className="banner" role="alert">
          <Icon name="warning" /> {t(`storage.${storage.kind}`)}
        </p>
      )}
      {connection !== 'live' && (
        <p className="banner" role="status">
          <Icon name="warning" />{' '}
          {connection === 'connecting' ? t('connection.connecting') : t('connection.lost')}
        </p>
      )}
      <div
        style={hasList && !isPhone ? paneWidth(listView) : undefined}
        className={`app-shell ${hasList ? 'with-list' : ''} ${shows} shows-${route.view}`}
      >
        <a className="skip button" href="#main">
          {t('skip')}
        </a>
        <Rail route={route} onPalette={togglePalette} />
        <PaletteKey isOpen={isPaletteOpen} onToggle={togglePalette} />
        {hasHelp && (
          <Suspense fallback={null}>
            <KeyHelp onClose={() => setHasHelp(false)} />
          </Suspense>
        )}
        {hasList && <SessionList openId={id} isMain={isPhone && route.view === 'sessions'} />}
        {(!isPhone || route.view !== 'sessions') && (
          <main id="main" tabIndex={-1}>
            <Suspense fallback={<p className="empty">{t('loading')}</p>}>
              <View route={route} />
            </Suspense>
          </main>
        )}
      </div>
    </div>
  )
}

/** Empty: the width that the style sheet gives the list. */
function paneWidth({ isFolded, width }: ListView): CSSProperties {
  if (!isFolded && width === null) return {}
  // Cast: React does not list custom properties.
  return { '--list': isFolded ? '44px' : `min(${width}px, 60vw)` } as CSSProperties
}

function View({ route }: { route: Route }) {
  switch (route.view) {
    case 'session':
      return <SessionView id={route.id} tab={route.tab} />
    case 'inbox':
      return <InboxView />
    case 'request':
      return <RequestView id={route.id} />
    case 'grid':
      return <GridView />
    case 'terminals':
      return <TerminalsView />
    case 'policy':
      return <PolicyView tab={route.tab} />
    case 'search':
      return <SearchView />
    case 'usage':
      return <UsageView />
    case 'settings':
      return <SettingsView />
    case 'unknown':
      return <UnknownPath path={route.path} />
    case 'sessions':
    case 'new':
      return <NewSession />
  }
}

type NavView = Exclude<Route['view'], 'session' | 'request' | 'unknown'>

const NAV_ITEMS: readonly [NavView, path: string, IconName, TextKey][] = [
  ['sessions', '/', 'sessions', 'nav.sessions'],
  ['inbox', '/inbox', 'inbox', 'nav.inbox'],
  ['grid', '/grid', 'grid', 'nav.grid'],
  ['new', '/new', 'plus', 'nav.new'],
  ['search', '/search', 'search', 'nav.search'],
  ['terminals', '/terminals', 'terminal', 'nav.terminals'],
  ['usage', '/usage', 'usage', 'nav.usage'],
  ['policy', '/policy', 'policy', 'nav.policy'],
  ['settings', '/settings', 'settings', 'nav.settings'],
]

/** On a phone these views are linked from the settings. */
const WIDE_ONLY: ReadonlySet<NavView> = new Set(['grid', 'terminals', 'usage', 'policy'])

/** Views inside another one. */
const ACTIVE: Readonly<Record<string, NavView>> = { session: 'sessions', request: 'inbox' }

function Rail({ route, onPalette }: { route: Route; onPalette(): void }) {
  const waiting = useStore((state) => state.requests.size)
  const connection = useStore((state) => state.connection)
  const mayAct = useHasRole('operator')
  const items = NAV_ITEMS.filter(([view]) => view !== 'new' || mayAct)
  const isScripted = useStore((state) => state.about?.model === 'scripted')
  const activeView = ACTIVE[route.view] ?? route.view
  return (
    <nav className="rail" aria-label={t('nav')}>
      <Link to="/" className="name" aria-label="Signalbox">
        <img src="/icon.svg" alt="" width="36" height="36" />
      </Link>
      {items.map(([view, path, icon, label]) => (
        <Link
          key={view}
          to={path}
          className={WIDE_ONLY.has(view) ? `nav-item ${view} wide-only` : `nav-item ${view}`}
          aria-current={activeView === view ? 'page' : undefined}
        >
          <Icon name={icon} />
          <span>{t(label)}</span>
          {view === 'inbox' && waiting > 0 && (
            <span className="count" aria-label={waitingLabel(waiting)}>
              {waiting}
            </span>
          )}
        </Link>
      ))}
      <button
        type="button"
        className="nav-item palette-button"
        title={`${t('nav.palette')} (Ctrl+K)`}
        onClick={onPalette}
      >
        <Icon name="command" />
        <span>{t('nav.palette')}</span>
      </button>
      <span className="spacer" />
      {isScripted && (
        <span className="badge amber wide-only scripted" title={t('scripted.explained')}>
          {t('scripted')}
        </span>
      )}
      <span className={`connection ${connection}`} role="status">
        <span className="status-dot" aria-hidden="true" />
        {t(`connection.${connection}`)}
      </span>
    </nav>
  )
}

/** Key sequences: g, then the first letter of a view. */
function useNavigationKeys(): void {
  const [isPending, setIsPending] = useState(false)
  useEffect(() => {
    if (!isPending) return
    const end = () => setIsPending(false)
    const timer = setTimeout(end, 1_200)
    // The next key ends the sequence, also one that another part of the page uses: after its own handlers.
    const endSoon = () => void setTimeout(end)
    document.addEventListener('keydown', endSoon, { capture: true })
    return () => {
      clearTimeout(timer)
      document.removeEventListener('keydown', endSoon, { capture: true })
    }
  }, [isPending])
  const to = (path: string) => () => {
    setIsPending(false)
    navigate(path)
  }
  useKeys(
    isPending
      ? { s: to('/'), i: to('/inbox'), g: to('/grid'), n: to('/new') }
      : { g: () => setIsPending(true) },
  )
}
