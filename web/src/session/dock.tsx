import { useEffect, useRef, useState } from 'react'
import type { InboxRequest, Session } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { RequestCard } from '../inbox/request-card.js'
import { sessionPath } from '../route.js'
import { useHasRole, useStore } from '../store/state.js'
import { Icon } from '../ui/icon.js'
import { Link } from '../ui/link.js'
import { printable } from '../ui/printable.js'
import { usePhone } from '../ui/use-phone.js'
import { Composer } from './composer/composer.js'
import { Queue } from './composer/queue.js'

/** The first pending request, the message queue and the composer. */
export function Dock({ session, pending }: { session: Session; pending: readonly InboxRequest[] }) {
  const mayAct = useHasRole('operator')
  const isPhone = usePhone()
  const [isFolded, setIsFolded] = useState(false)
  const [isWriting, setIsWriting] = useState(false)
  const [first] = pending
  const hasAnswered = useHasAnswered(session.id)
  const hasComposer = mayAct && session.kind === 'managed'
  // A phone has no room for both, and the buttons of the request must be at the bottom.
  const isComposerHidden = isPhone && first !== undefined && !isWriting
  return (
    <div className="dock">
      {first && (
        <div className={isFolded ? 'dock-request folded' : 'dock-request'}>
          {(isPhone || pending.length > 1) && (
            <p className="dock-head muted">
              <span className="grow">{pending.length > 1 && t('dock.more', { n: pending.length - 1 })}</span>
              {isPhone && (
                <button
                  type="button"
                  className="plain"
                  aria-expanded={!isFolded}
                  onClick={() => setIsFolded(!isFolded)}
                >
                  {isFolded ? t('dock.unfold') : t('dock.fold')}
                </button>
              )}
              {hasComposer && isComposerHidden && (
                <button type="button" className="plain" onClick={() => setIsWriting(true)}>
                  {t('dock.message')}
                </button>
              )}
            </p>
          )}
          <RequestCard key={first.id} request={first} cwd={session.cwd} />
        </div>
      )}
      {!first && hasAnswered && <NextRequest />}
      <Queue session={session} />
      {hasComposer && !isComposerHidden && <Composer key={session.id} session={session} />}
    </div>
  )
}

/** Whether a request of this session was answered since it was opened here. */
function useHasAnswered(sessionId: string): boolean {
  const answered = useStore((state) => state.answered)
  const [before] = useState(() => new Set(answered.keys()))
  return [...answered.values()].some(({ id, sessionId: of }) => of === sessionId && !before.has(id))
}

/** The way to the oldest request of the other sessions. */
function NextRequest() {
  const requests = useStore((state) => state.requests)
  const link = useRef<HTMLAnchorElement>(null)
  const next = oldestOf(requests.values())
  const isShown = next !== undefined
  useEffect(() => {
    // The focused button has gone with the answered card: Enter follows the link instead.
    if (isShown && document.activeElement === document.body) link.current?.focus()
  }, [isShown])
  if (!isShown) return null
  return (
    <Link ref={link} to={sessionPath(next.sessionId)} className="next-request button">
      <span>{t('dock.next', { n: requests.size })}</span>
      <span className="grow truncate">{printable(next.title)}</span>
      <Icon name="chevron" />
    </Link>
  )
}

function oldestOf(requests: Iterable<InboxRequest>): InboxRequest | undefined {
  return [...requests].toSorted((one, other) => (one.requestedAt < other.requestedAt ? -1 : 1))[0]
}
