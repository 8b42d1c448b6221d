import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Virtualizer } from 'virtua'
import { t } from '../../i18n/i18n.js'
import { loadOlder } from '../../store/open-session.js'
import type { OpenSession } from '../../store/state.js'
import { Icon } from '../../ui/icon.js'
import { EntryItem } from './item.js'
import { buildRows } from './row.js'
import { entryId, foldRuns, isRun } from './run.js'

const NEAR_END = 48
const NEAR_START = 900

/** The conversation. Stays scrolled to the end while text streams in, unless the user has scrolled up. */
export function TranscriptView({ open, cwd }: { open: OpenSession; cwd: string }) {
  const entries = useMemo(() => foldRuns(buildRows(open.transcript)), [open.transcript])
  const scroller = useRef<HTMLDivElement>(null)
  const isPinned = useRef(true)
  const [isAway, setIsAway] = useState(false)
  const isPrepended = useHasPrepended(entries[0] && entryId(entries[0]))

  const pin = () => {
    const element = scroller.current
    if (element && isPinned.current) element.scrollTop = element.scrollHeight
  }
  useLayoutEffect(pin)

  const onScroll = () => {
    const element = scroller.current
    if (!element) return
    const left = element.scrollHeight - element.scrollTop - element.clientHeight
    isPinned.current = left < NEAR_END
    setIsAway(left > element.clientHeight)
    if (element.scrollTop < NEAR_START && open.hasOlder) void loadOlder()
  }
  const jump = () => {
    isPinned.current = true
    pin()
  }

  return (
    <div className="transcript-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable. */}
      <section
        ref={scroller}
        className="transcript"
        onScroll={onScroll}
        aria-label={t('tab.conversation')}
        tabIndex={0}
      >
        {open.hasOlder && <p className="divider">{t('loading.older')}</p>}
        <Virtualizer
          shift={isPrepended}
          bufferSize={600}
          onResize={pin}
          scrollRef={scroller}
          startMargin={open.hasOlder ? 40 : 0}
        >
          {entries.map((entry) => (
            <div key={entryId(entry)} className={`entry of-${isRun(entry) ? 'run' : entry.item.kind}`}>
              <EntryItem entry={entry} cwd={cwd} sessionId={open.id} />
            </div>
          ))}
        </Virtualizer>
      </section>
      {isAway && (
        <button type="button" className="jump" onClick={jump}>
          <Icon name="down" /> {t('jump.latest')}
        </button>
      )}
    </div>
  )
}

/** True for the one render in which older rows were prepended. */
function useHasPrepended(first: string | undefined): boolean {
  const before = useRef(first)
  const hasChanged = before.current !== undefined && before.current !== first
  useLayoutEffect(() => {
    before.current = first
  }, [first])
  return hasChanged
}
