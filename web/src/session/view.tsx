import { lazy, Suspense, useState } from 'react'
import { t } from '../i18n/i18n.js'
import { sessionPath, type Tab } from '../route.js'
import { useStore } from '../store/state.js'
import { Link } from '../ui/link.js'
import { printable } from '../ui/printable.js'
import { UnknownSession } from '../unknown-path.js'
import { Dock } from './dock.js'
import { Heading } from './heading.js'
import { statusText } from './session-label.js'
import { TranscriptView } from './transcript/transcript.js'

const Timeline = lazy(async () => ({ default: (await import('./timeline/timeline.js')).Timeline }))
const ChangesView = lazy(async () => ({ default: (await import('./change/view.js')).ChangesView }))
const AgentTree = lazy(async () => ({ default: (await import('./agent/agent-tree.js')).AgentTree }))

export function SessionView({ id, tab }: { id: string; tab: Tab }) {
  const open = useStore((state) => state.open)
  const requests = useStore((state) => state.requests)
  const session = open?.session
  const [toolbar, setToolbar] = useState<HTMLElement | null>(null)
  if (open?.id === id && open.isMissing) return <UnknownSession />
  if (!open || !session) return <p className="empty">{t('loading')}</p>
  const pending = session.pendingRequests.flatMap((requestId) => requests.get(requestId) ?? [])
  const [first] = pending
  return (
    <div className="view">
      <Heading session={session} request={first} tab={tab} onToolbar={setToolbar} />
      <Suspense fallback={<p className="empty">{t('loading')}</p>}>
        {tab === 'conversation' && (
          <TranscriptView key={open.id} open={open} cwd={session.cwd} toolbar={toolbar} />
        )}
        {tab === 'changes' && <ChangesView open={open} />}
        {tab === 'timeline' && <Timeline open={open} />}
        {tab === 'agents' && <AgentTree open={open} />}
      </Suspense>
      {tab !== 'conversation' && first && (
        <Link to={sessionPath(session.id)} className="waiting-line">
          <span className={`status-dot ${session.state}`} aria-hidden="true" />
          <span className="grow truncate">{printable(statusText(session, first))}</span>
          {t('answer')}
        </Link>
      )}
      {tab === 'conversation' && <Dock key={session.id} session={session} pending={pending} />}
    </div>
  )
}
