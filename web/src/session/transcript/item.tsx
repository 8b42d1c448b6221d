import { memo, type ReactNode } from 'react'
import type { TranscriptItem } from '../../../../src/protocol/index.js'
import { count, duration, money, number, t, time } from '../../i18n/i18n.js'
import { noticeLabel, reasonLabel } from '../../i18n/server-text.js'
import { sessionPath } from '../../route.js'
import { ToolCard } from '../../tool/card.js'
import { Icon } from '../../ui/icon.js'
import { Link } from '../../ui/link.js'
import { Picture } from '../../ui/picture.js'
import { printable } from '../../ui/printable.js'
import { RichText } from '../../ui/rich-text.js'
import { turnFailure } from '../turn-failure.js'
import { AttachedFiles } from './attached-files.js'
import { useFound } from './found.js'
import { MessageMenu } from './message-menu.js'
import type { Row } from './row.js'
import { type Entry, entryId, foldRuns, isRun } from './run.js'
import { RunRow } from './run-row.js'

interface ItemProps {
  row: Row
  cwd: string
  sessionId: string
}

/** A row, or a folded run of rows. */
export function EntryItem({ entry, cwd, sessionId }: Omit<ItemProps, 'row'> & { entry: Entry }) {
  if (!isRun(entry)) return <Item row={entry} cwd={cwd} sessionId={sessionId} />
  return (
    <RunRow rows={entry.rows}>
      {entry.rows.map((row) => (
        <Item key={row.item.id} row={row} cwd={cwd} sessionId={sessionId} />
      ))}
    </RunRow>
  )
}

/** Rows are rebuilt with every delta, so compare their items instead of the rows. */
const Item = memo(ItemRow, (one, other) => isSame(one.row, other.row) && one.cwd === other.cwd)

function isSame(one: Row, other: Row): boolean {
  if (one.item !== other.item || one.children.length !== other.children.length) return false
  return one.children.every((child, index) => {
    const counterpart = other.children[index]
    return counterpart !== undefined && isSame(child, counterpart)
  })
}

function ItemRow({ row, cwd, sessionId }: ItemProps) {
  const { item } = row
  switch (item.kind) {
    case 'message':
      return <Message item={item} sessionId={sessionId} />
    case 'text':
      return (
        <div className={item.isWriting ? 'content text writing' : 'content text'} data-item={item.id}>
          <RichText text={item.text} />
          {!item.isWriting && item.parentToolUseId === undefined && (
            <>
              <small className="by">
                <time dateTime={item.at}>{time(item.at)}</time>
              </small>
              <MessageMenu sessionId={sessionId} at={item.uuid ?? null} isFromUser={false} text={item.text} />
            </>
          )}
        </div>
      )
    case 'thinking':
      return (
        <Foldable className="thinking" id={item.id}>
          <summary>
            {item.isWriting ? t('thinking.now') : t('thinking.done')}
            <span className="truncate">{printable(item.text.replaceAll(/\s+/g, ' ').slice(0, 140))}</span>
          </summary>
          <RichText text={item.text} />
        </Foldable>
      )
    case 'tool':
      return (
        <ToolCard item={item} cwd={cwd}>
          {(item.agent !== null || row.children.length > 0) && (
            <SubagentSteps item={item} row={row} cwd={cwd} sessionId={sessionId} />
          )}
        </ToolCard>
      )
    case 'turn':
      return <TurnEnd item={item} />
    case 'notice':
      return (
        <p className={`notice ${item.level}`}>
          <Icon name="warning" /> <span>{printable(noticeLabel(item))}</span>
        </p>
      )
    case 'compaction':
      return (
        <Divider>
          {item.preTokens !== null && item.postTokens !== null
            ? t('compacted.from', { before: number(item.preTokens), after: number(item.postTokens) })
            : t('compacted')}
        </Divider>
      )
    case 'rewind':
      return <Divider>{count('rewound', item.files.length)}</Divider>
    case 'undo':
      return (
        <Divider>
          {count(item.isRedo ? 'transcript.redone' : 'transcript.undone', item.files, { who: item.who })}
        </Divider>
      )
    case 'overlap':
      return (
        <p className="notice warning">
          <Icon name="warning" />{' '}
          <span>
            {t('transcript.overlap', { files: printable(item.files.join(', ')) })}{' '}
            <Link to={sessionPath(item.sessionId)}>{t('transcript.other_session')}</Link>
          </span>
        </p>
      )
    case 'end':
      return <Divider>{t('ended.because', { reason: printable(reasonLabel(item)) })}</Divider>
  }
}

interface FoldableProps {
  id: string
  className: string
  isOpen?: boolean
  children: ReactNode
}

/** Opens when a search has found it, or something in it. */
function Foldable({ id, className, isOpen = false, children }: FoldableProps) {
  const found = useFound()
  return (
    <details className={className} open={isOpen || found.has(id)}>
      {children}
    </details>
  )
}

type Kind<Name extends TranscriptItem['kind']> = Extract<TranscriptItem, { kind: Name }>

function Message({ item, sessionId }: { item: Kind<'message'>; sessionId: string }) {
  const images = item.content.flatMap((block) => (block.type === 'image' ? [block.source] : []))
  return (
    <div className={`content message ${item.state}`}>
      <div className="bubble" dir="auto">
        {printable(item.text)}
        {images.map(({ media_type, data }) => (
          <Picture key={data.slice(0, 64)} address={`data:${media_type};base64,${data}`} label={t('image')} />
        ))}
        <AttachedFiles content={item.content} />
      </div>
      <small className="by">
        {item.from.who} · {time(item.at)}
        {item.state !== 'delivered' && ` · ${t(`message.${item.state}`)}`}
      </small>
      {item.state === 'delivered' && (
        <MessageMenu sessionId={sessionId} at={item.id} isFromUser text={item.text} />
      )}
    </div>
  )
}

/** The steps of a subagent, inside the call that started it. */
function SubagentSteps({ item, row, cwd, sessionId }: ItemProps & { item: Kind<'tool'> }) {
  const { agent } = item
  const isWorking = agent !== null && agent.outcome === null && item.state !== 'completed'
  return (
    <Foldable className="subagent" id={item.id} isOpen={isWorking}>
      <summary>
        <span
          className={`status-dot ${isWorking ? 'working' : agent?.outcome === 'failed' ? 'failed' : 'idle'}`}
          aria-hidden="true"
        />
        {agent ? printable(agent.description ?? agent.type) : t('agent')}
        <small className="muted">
          {agent && ` ${printable(agent.type)} · `}
          {count('steps', row.children.length)}
          {agent?.isBackground && ` · ${t('background')}`}
        </small>
      </summary>
      {foldRuns(row.children).map((child) => (
        <EntryItem key={entryId(child)} entry={child} cwd={cwd} sessionId={sessionId} />
      ))}
    </Foldable>
  )
}

function TurnEnd({ item }: { item: Kind<'turn'> }) {
  const facts = [
    item.durationMs === null ? null : duration(item.durationMs),
    item.isScripted ? t('scripted.free') : item.costUsd === null ? null : money(item.costUsd),
  ].filter((fact) => fact !== null)
  if (item.outcome === 'completed')
    return facts.length > 0 ? <Divider>{[t('turn.completed'), ...facts].join(' · ')}</Divider> : null
  if (item.outcome === 'interrupted') return <Divider kind="amber">{t('turn.interrupted')}</Divider>
  return (
    <p className="notice error">
      <Icon name="warning" />
      <span>{turnFailure(item)}</span>
    </p>
  )
}

function Divider({ kind = '', children }: { kind?: string; children: ReactNode }) {
  return <p className={`divider ${kind}`}>{children}</p>
}
