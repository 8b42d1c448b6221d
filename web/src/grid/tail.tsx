import { memo, useLayoutEffect, useRef } from 'react'
import type { TranscriptItem } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { noticeLabel } from '../i18n/server-text.js'
import { turnFailure } from '../session/turn-failure.js'
import { callDetail, ICONS, toolKind, toolName } from '../tool/call.js'
import { Icon } from '../ui/icon.js'
import { printable } from '../ui/printable.js'
import { useTail } from './use-tails.js'

/** More does not fit a tile. */
const MAX_ITEMS = 12
const MAX_CHARACTERS = 1_200
const NEAR_END = 24

/** The end of a conversation as plain lines. Stays at its end, unless the user has scrolled up. */
export function Tail({ id, cwd, label }: { id: string; cwd: string; label: string }) {
  const transcript = useTail(id)
  const frame = useRef<HTMLDivElement>(null)
  const isPinned = useRef(true)
  useLayoutEffect(() => {
    const element = frame.current
    if (element && isPinned.current) element.scrollTop = element.scrollHeight
  })
  const items = (transcript?.items ?? []).filter(isListed).slice(-MAX_ITEMS)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a region would be a landmark for each tile.
    <div
      ref={frame}
      className="tail"
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable.
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isPinned.current = scrollHeight - scrollTop - clientHeight < NEAR_END
      }}
    >
      {items.length === 0 && <p className="muted">{transcript === null ? t('loading') : t('grid.empty')}</p>}
      {items.map((item) => (
        <TailLine key={item.id} item={item} cwd={cwd} />
      ))}
    </div>
  )
}

function isListed(item: TranscriptItem): boolean {
  switch (item.kind) {
    case 'text':
    case 'message':
      return item.text.trim() !== ''
    case 'thinking':
      return item.isWriting
    case 'notice':
      return item.level !== 'info'
    case 'tool':
      return true
    case 'turn':
      return item.outcome !== 'completed'
    case 'compaction':
    case 'rewind':
    case 'undo':
    case 'overlap':
    case 'end':
      return false
  }
}

const TailLine = memo(({ item, cwd }: { item: TranscriptItem; cwd: string }) => {
  switch (item.kind) {
    case 'text':
      return <p className="tail-text">{printable(endOf(item.text))}</p>
    case 'message':
      return (
        <p className="tail-message">
          <span className="visually-hidden">{item.from.who}: </span>
          {printable(endOf(item.text))}
        </p>
      )
    case 'thinking':
      return <p className="muted">{t('thinking.now')}</p>
    case 'tool':
      return (
        <p className={`tail-tool ${item.state}`}>
          <Icon name={ICONS[toolKind(item.name)]} />
          <span className="truncate">
            {printable(toolName(item.name))} <code>{printable(callDetail(item.input, cwd))}</code>
          </span>
        </p>
      )
    case 'notice':
      return <p className="tail-notice">{printable(endOf(noticeLabel(item)))}</p>
    case 'turn':
      return (
        <p className="tail-notice">
          {item.outcome === 'interrupted' ? t('turn.interrupted') : turnFailure(item)}
        </p>
      )
    default:
      return null
  }
})

/** Lines stay lines here, so only the marks of headings and bold words go. */
function endOf(text: string): string {
  const whole = text
    .slice(-2 * MAX_CHARACTERS)
    .trimEnd()
    .replaceAll(/^#{1,6} +/gm, '')
    .replaceAll(/(?<!\S)\*\*(?=\w)|(?<=[\w.,:!?)`])\*\*(?=[\s.,:;!?)]|$)/g, '')
  return whole.length > MAX_CHARACTERS ? `…${whole.slice(-MAX_CHARACTERS)}` : whole
}
