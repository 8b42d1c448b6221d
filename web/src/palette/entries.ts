/** All entries of the palette. They depend on the open session, the role and the text. */

import type { Session } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { LANGUAGE_NAMES, LANGUAGES } from '../i18n/language.js'
import { navigate, sessionPath } from '../route.js'
import { searchPath } from '../search/query.js'
import { folderName, sessionName, statusText } from '../session/session-label.js'
import { logOut } from '../store/login.js'
import { setPreference, THEMES } from '../store/preference.js'
import { client } from '../store/state.js'
import { type PaletteEntry, recentSessions } from './entry.js'

export interface PaletteContext {
  sessions: ReadonlyMap<string, Session>
  /** The session in view. */
  open: Session | null
  /** Whether the user may act on sessions. */
  mayAct: boolean
}

const VIEWS = [
  ['/', 'nav.sessions'],
  ['/inbox', 'nav.inbox'],
  ['/grid', 'nav.grid'],
  ['/search', 'nav.search'],
  ['/terminals', 'nav.terminals'],
  ['/usage', 'nav.usage'],
  ['/policy', 'nav.policy'],
  ['/policy/tools', 'policy.tab.tools'],
  ['/policy/audit', 'policy.tab.audit'],
] as const

export function paletteEntries(context: PaletteContext, text: string): PaletteEntry[] {
  return [
    ...recentSessions(context.sessions.values()).map(sessionEntry),
    ...(context.open ? openSessionEntries(context.open, context.mayAct) : []),
    action('new', t('nav.new'), () => navigate('/new')),
    ...VIEWS.map(([path, label]) => action(path, t('palette.go', { view: t(label) }), () => navigate(path))),
    action('log-out', t('log_out'), logOut),
    ...settingEntries(),
    ...searchEntries(context.open, text),
  ]
}

function sessionEntry(session: Session): PaletteEntry {
  return {
    id: session.id,
    section: 'sessions',
    label: sessionName(session),
    detail: `${folderName(session.cwd)} · ${statusText(session)}`,
    run: () => navigate(sessionPath(session.id)),
  }
}

function openSessionEntries(session: Session, mayAct: boolean): PaletteEntry[] {
  if (!mayAct || session.kind !== 'managed') return []
  const params = { id: session.id }
  const name = sessionName(session)
  const isStopped = session.isInterrupted && session.state === 'idle'
  return [
    session.turn !== null &&
      action('interrupt', t('interrupt'), () => client.interruptSession({ params, body: {} }), name),
    isStopped &&
      action(
        'continue',
        t('continue'),
        () => client.resumeSession({ params, body: { continue: true } }),
        name,
      ),
    session.state === 'ended' &&
      action('resume', t('resume'), () => client.resumeSession({ params, body: {} }), name),
    action('compact', t('compact'), () => client.compactSession({ params, body: {} }), name),
    action(
      'fork',
      t('fork'),
      async () => {
        const { session: copy } = await client.forkSession({ params, body: {} })
        navigate(sessionPath(copy.id))
      },
      name,
    ),
  ].filter((entry) => entry !== false)
}

function settingEntries(): PaletteEntry[] {
  const setting = (id: string, label: string, run: () => unknown): PaletteEntry => ({
    id,
    section: 'settings',
    label,
    detail: '',
    run,
  })
  return [
    setting('settings', t('palette.go', { view: t('nav.settings') }), () => navigate('/settings')),
    ...THEMES.map((theme) =>
      setting(`theme-${theme}`, `${t('theme')}: ${t(`theme.${theme}`)}`, () => setPreference({ theme })),
    ),
    ...LANGUAGES.map((language) =>
      setting(`language-${language}`, `${t('language')}: ${LANGUAGE_NAMES[language]}`, () =>
        setPreference({ language }),
      ),
    ),
  ]
}

function searchEntries(open: Session | null, text: string): PaletteEntry[] {
  const q = text.trim()
  if (q === '') return []
  const search = (id: string, label: string, detail: string, session: string): PaletteEntry => ({
    id,
    section: 'search',
    label,
    detail,
    run: () => navigate(searchPath({ q, session })),
  })
  return [
    search('search', t('palette.search_for', { text: q }), '', ''),
    ...(open
      ? [search('search-here', t('palette.search_here', { text: q }), sessionName(open), open.id)]
      : []),
  ]
}

function action(id: string, label: string, run: () => unknown, detail = ''): PaletteEntry {
  return { id, section: 'actions', label, detail, run }
}
