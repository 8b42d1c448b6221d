import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { t } from '../../i18n/i18n.js'
import { loadOlder } from '../../store/open-session.js'
import { usePreference } from '../../store/preference.js'
import type { OpenSession } from '../../store/state.js'
import { Icon } from '../../ui/icon.js'
import { useKeys } from '../../ui/use-keys.js'
import { FindBar } from './find-bar.js'
import { FoundContext } from './found.js'
import { useHit } from './hit.js'
import { EntryItem } from './item.js'
import { buildRows } from './row.js'
import { type Entry, entryId, foldRuns, isRun } from './run.js'
import { TranscriptTools } from './transcript-tools.js'
import { useFindInRows } from './use-find-in-rows.js'
import { usePromptJump } from './use-prompt-jump.js'

const NEAR_END = 48
const NEAR_START = 900
/** Above a row that is scrolled to the top. */
const MARGIN = 16

interface TranscriptViewProps {
  open: OpenSession
  cwd: string
  /** The place of the buttons, in the heading. */
  toolbar: HTMLElement | null
}

/** The conversation. Stays scrolled to the end while text streams in, unless the user has scrolled up. */
export function TranscriptView({ open, cwd, toolbar }: TranscriptViewProps) {
  const entries = useMemo(() => foldRuns(buildRows(open.transcript)), [open.transcript])
  const scroller = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const isPinned = useRef(true)
  const [isAway, setIsAway] = useState(false)
  const isPrepended = useHasPrepended(entries[0] && entryId(entries[0]))
  const { isWide } = usePreference()

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
  const showEntry = (place: number, align: 'start' | 'center') => {
    isPinned.current = false
    list.current?.scrollToIndex(place, { align, offset: align === 'start' ? -MARGIN : 0 })
  }
  const find = useFindInRows(entries, open, scroller, showEntry)
  const hit = useHit({ open, entries, show: showEntry })
  const toPrompt = usePromptJump(entries, open, scroller, showEntry)
  useFindKey(find.open)
  useKeys({ p: () => toPrompt(-1), P: () => toPrompt(1) })

  return (
    <FoundContext value={find.path.size > 0 ? find.path : hit.found}>
      <div className={isWide ? 'transcript-frame wide' : 'transcript-frame'}>
        {toolbar && createPortal(<TranscriptTools onFind={find.open} onPrompt={toPrompt} />, toolbar)}
        {find.isOpen && <FindBar {...find.bar} />}
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
            ref={list}
            data={entries}
            shift={isPrepended}
            bufferSize={600}
            onResize={pin}
            scrollRef={scroller}
            startMargin={open.hasOlder ? 40 : 0}
          >
            {(entry: Entry, index: number) => (
              <div
                key={entryId(entry)}
                className={`entry of-${isRun(entry) ? 'run' : entry.item.kind}${index === hit.index ? ' hit' : ''}`}
                data-entry={entryId(entry)}
                {...(index === hit.index && { ref: hit.mark, tabIndex: -1 })}
              >
                <EntryItem entry={entry} cwd={cwd} sessionId={open.id} />
              </div>
            )}
          </Virtualizer>
        </section>
        {isAway && (
          <button type="button" className="jump" onClick={jump}>
            <Icon name="down" /> {t('jump.latest')}
          </button>
        )}
      </div>
    </FoundContext>
  )
}

/** Ctrl+F finds in all rows. In the field itself it is left to the browser. */
function useFindKey(open: () => void): void {
  const latest = useRef(open)
  latest.current = open
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isFind = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
      if (!isFind || event.key.toLowerCase() !== 'f' || document.querySelector('dialog[open]')) return
      if (event.target instanceof HTMLElement && event.target.closest('.find-bar')) return
      event.preventDefault()
      latest.current()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
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
