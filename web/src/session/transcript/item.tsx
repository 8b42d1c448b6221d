import { memo, type ReactNode } from 'react'
import type { TranscriptItem } from '../../../../src/protocol/index.js'
import { count, duration, money, number, t, time } from '../../i18n/i18n.js'
import { ToolCard } from '../../tool/card.js'
import { Icon } from '../../ui/icon.js'
import { Picture } from '../../ui/picture.js'
import { printable } from '../../ui/printable.js'
import { RichText } from '../../ui/rich-text.js'
import { MessageMenu } from './message-menu.js'
import type { Row } from './row.js'

interface ItemProps {
  row: Row
  cwd: string
  sessionId: string
}

/** Rows are rebuilt with every delta, so compare their items instead of the rows. */
export const Item = memo(ItemRow, (one, other) => isSame(one.row, other.row) && one.cwd === other.cwd)

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
        <div className={item.isWriting ? 'content text writing' : 'content text'}>
          <RichText text={item.text} />
          {!item.isWriting && item.parentToolUseId === undefined && (
            <MessageMenu sessionId={sessionId} at={item.uuid ?? null} isFromUser={false} text={item.text} />
          )}
        </div>
      )
    case 'thinking':
      return (
        <details className="thinking">
          <summary>
            {item.isWriting ? t('thinking.now') : t('thinking.done')}
            <span className="truncate">{printable(item.text.replaceAll(/\s+/g, ' ').slice(0, 140))}</span>
          </summary>
          <RichText text={item.text} />
        </details>
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
          <Icon name="warning" /> <span>{printable(item.text)}</span>
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
    case 'end':
      return <Divider>{t('ended.because', { reason: printable(item.reason) })}</Divider>
  }
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
    <details className="subagent" open={isWorking}>
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
      {row.children.map((child) => (
        <Item key={child.item.id} row={child} cwd={cwd} sessionId={sessionId} />
      ))}
    </details>
  )
}

function TurnEnd({ item }: { item: Kind<'turn'> }) {
  const facts = [
    item.durationMs === null ? null : duration(item.durationMs),
    item.costUsd === null ? null : money(item.costUsd),
  ].filter((fact) => fact !== null)
  if (item.outcome === 'completed')
    return facts.length > 0 ? <Divider>{[t('turn.completed'), ...facts].join(' · ')}</Divider> : null
  if (item.outcome === 'interrupted') return <Divider kind="amber">{t('turn.interrupted')}</Divider>
  return (
    <p className="notice error">
      <Icon name="warning" />
      <span>{t('turn.failed', { why: printable(item.errors[0] ?? item.stopReason) })}</span>
    </p>
  )
}

function Divider({ kind = '', children }: { kind?: string; children: ReactNode }) {
  return <p className={`divider ${kind}`}>{children}</p>
}
