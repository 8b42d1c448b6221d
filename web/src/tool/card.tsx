import { memo, type ReactNode, Suspense, useState } from 'react'
import type { TranscriptItem } from '../../../src/protocol/index.js'
import { count, duration, t } from '../i18n/i18n.js'
import { useFound } from '../session/transcript/found.js'
import { Icon } from '../ui/icon.js'
import { printable } from '../ui/printable.js'
import {
  callDetail,
  changesOf,
  deciderName,
  errorText,
  exitCode,
  ICONS,
  lineCounts,
  toolKind,
  toolName,
} from './call.js'
import { ToolBody } from './lazy-body.js'
import { resultImages } from './result-image.js'

export type ToolItem = Extract<TranscriptItem, { kind: 'tool' }>

interface ToolCardProps {
  item: ToolItem
  cwd: string
  /** The steps of the subagent that this call has started. */
  children?: ReactNode
}

/** Kinds of tools that are expanded by default. */
const OPEN_KINDS = new Set(['edit', 'todo', 'plan'])

export const ToolCard = memo(function ToolCard({ item, cwd, children }: ToolCardProps) {
  const kind = toolKind(item.name)
  const [chosen, setChosen] = useState<boolean | null>(null)
  const isWaiting = item.state === 'requested' && item.requestId !== null
  // While it waits, the request in the dock shows the same.
  const isOpenAtFirst =
    item.state === 'failed' || (OPEN_KINDS.has(kind) && item.state !== 'writing') || hasImages(item)
  const found = useFound()
  const isOpen = chosen ?? ((isOpenAtFirst && !isWaiting) || found.has(item.id))
  return (
    <div className={`tool ${item.state}`} data-item={item.id}>
      <button type="button" className="tool-head" aria-expanded={isOpen} onClick={() => setChosen(!isOpen)}>
        <Icon name={ICONS[kind]} />
        <span className="tool-name">{printable(toolName(item.name))}</span>
        <code className="grow truncate">{printable(callDetail(item.input, cwd))}</code>
        <span className={`tool-state ${isWaiting ? 'waiting' : item.state}`}>{stateOf(item, isWaiting)}</span>
        <span className="chevron">
          <Icon name="chevron" />
        </span>
      </button>
      {isOpen && (
        <div className="tool-body">
          {item.state === 'writing' ? (
            <pre className="output">{printable(item.writing ?? '')}</pre>
          ) : (
            <Suspense fallback={<p className="muted">{t('loading')}</p>}>
              <ToolBody
                name={item.name}
                cwd={cwd}
                input={item.input}
                state={item.state}
                result={item.result}
                error={item.error === null ? null : errorText(item.error)}
              />
            </Suspense>
          )}
        </div>
      )}
      {children}
    </div>
  )
})

/** Rows are rebuilt with every delta, and results can be large. */
const knownImages = new WeakMap<ToolItem, boolean>()

/** An image is what the reader wants to see of the call. */
export function hasImages(item: ToolItem): boolean {
  if (item.state !== 'completed') return false
  const known = knownImages.get(item) ?? resultImages(item.result).length > 0
  knownImages.set(item, known)
  return known
}

function stateOf(item: ToolItem, isWaiting: boolean): string {
  if (isWaiting) return t('tool.waiting')
  switch (item.state) {
    case 'writing':
      return t('tool.preparing')
    case 'requested':
      return t('tool.requested')
    case 'running':
      if (item.isJailed) return t('tool.running_in_jail')
      return item.agent && item.agent.outcome !== null ? t('tool.completed') : t('tool.running')
    case 'denied':
      return item.by === null ? t('tool.denied') : t('tool.denied_by', { by: deciderName(item.by) })
    case 'blocked':
      return item.by === null ? t('tool.blocked') : t('tool.blocked_by', { by: deciderName(item.by) })
    case 'cancelled':
      return t('tool.cancelled')
    case 'failed':
    case 'completed':
      return [
        item.isJailed ? t('tool.jail') : '',
        summary(item),
        item.durationMs === null ? '' : duration(item.durationMs),
      ]
        .filter(Boolean)
        .join(' · ')
  }
}

function summary(item: ToolItem): string {
  const kind = toolKind(item.name)
  if (kind === 'shell') {
    const code = exitCode(item.state, item.error)
    return code === null || code === 0
      ? item.state === 'failed'
        ? t('tool.failed')
        : ''
      : t('tool.exit', { code })
  }
  if (item.state === 'failed') return t('tool.failed')
  if (kind === 'edit') {
    const lines = lineCounts(item.result)
    if (lines) return `+${lines.added} −${lines.removed}`
    const grown = changesOf(item.name, item.input, item.result).reduce(
      (sum, { before, after }) => sum + lineCount(after) - lineCount(before),
      0,
    )
    return grown === 0 ? '' : `${grown > 0 ? '+' : '−'}${count('lines', Math.abs(grown))}`
  }
  return ''
}

function lineCount(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length
}
