/** A conversation as text: for the terminal, and as Markdown. */

import { printable } from '../../lib/text/printable.js'
import type { Session } from '../../protocol/session.js'
import type { ContentBlock } from '../../protocol/value.js'
import { describeCall } from '../../protocol/view/describe.js'
import { sessionName } from '../../protocol/view/session-name.js'
import type { TranscriptItem } from '../../protocol/view/transcript.js'
import { markdownText } from './markdown.js'

export interface ItemOptions {
  cwd: string
  width: number | null
  /** Messages have their ids, for `fork --at` and `rewind --to`. */
  hasIds?: boolean
}

/** One item in the terminal; null for one that is not shown there. */
export function itemText(item: TranscriptItem, { cwd, width, hasIds = false }: ItemOptions): string | null {
  switch (item.kind) {
    case 'message':
      return `> ${printable([item.text, ...attachedNames(item.content)].join('\n').trim())}${item.state === 'delivered' ? '' : ` (${item.state})`}${hasIds ? `  [${item.id}]` : ''}`
    case 'text':
      return markdownText(item.text, width)
    case 'tool':
      return `· ${describeCall(item.name, item.input, cwd)}  ${item.state}${item.isJailed ? ' in the jail' : ''}${item.error ? `: ${printable(item.error)}` : ''}`
    case 'turn':
      return item.outcome === 'completed' ? null : `(${endText(item)})`
    case 'undo':
      return `(${item.isRedo ? 'redone' : 'undone'} by ${printable(item.who)}: ${item.files} files)`
    case 'overlap':
      return `Another session (${item.sessionId.slice(-6)}) changed the same files: ${printable(item.files.join(', '))}`
    case 'notice':
      return item.level === 'info' ? null : printable(item.text)
    default:
      return null
  }
}

/** The whole conversation in Markdown. */
export function markdownOf(session: Session, items: readonly TranscriptItem[]): string {
  const head = [
    `# ${sessionName(session)}`,
    '',
    `| | |`,
    `|---|---|`,
    `| session | \`${session.id}\` |`,
    `| folder | \`${session.cwd}\` |`,
    `| model | ${session.model ?? 'not known'} |`,
    `| started | ${session.createdAt} |`,
    `| cost | ${session.costUsd === 0 && session.scriptedCostUsd !== undefined ? 'scripted, free' : `$${session.costUsd.toFixed(4)}`} |`,
    '',
  ]
  return `${[...head, ...items.flatMap((item) => markdownItem(item, session.cwd))].join('\n').trimEnd()}\n`
}

function markdownItem(item: TranscriptItem, cwd: string): string[] {
  switch (item.kind) {
    case 'message':
      return [
        `## ${item.from.who}`,
        '',
        item.text,
        '',
        ...attachedNames(item.content).flatMap((name) => [name, '']),
      ]
    case 'text':
      return [item.text, '']
    case 'thinking':
      return ['<details><summary>Thinking</summary>', '', item.text, '', '</details>', '']
    case 'tool':
      return [
        `**${describeCall(item.name, item.input, cwd).replaceAll('*', String.raw`\*`)}** — ${item.state}${item.isJailed ? ' in the jail' : ''}`,
        '',
        ...fenced(JSON.stringify(item.input, null, 2), 'json'),
        ...(item.error ? fenced(item.error) : resultOf(item.result)),
      ]
    case 'turn':
      return item.outcome === 'completed' ? [] : [`*${endText(item)}*`, '']
    case 'undo':
      return [`*${item.files} files ${item.isRedo ? 'redone' : 'undone'} by ${item.who}*`, '']
    case 'notice':
      return [`> ${item.text.replaceAll('\n', '\n> ')}`, '']
    default:
      return []
  }
}

function attachedNames(content: readonly ContentBlock[]): string[] {
  return content.flatMap((block) => (block.type === 'document' ? [`[attached: ${block.title}]`] : []))
}

/** `interrupted`, `failed: Prompt is too long`. */
function endText({ outcome, errors, stopReason }: TranscriptItem & { kind: 'turn' }): string {
  const why = errors[0] ?? stopReason
  return why === outcome ? outcome : `${outcome}: ${printable(why)}`
}

function resultOf(result: unknown): string[] {
  if (result === null || result === undefined) return []
  return fenced(typeof result === 'string' ? result : JSON.stringify(result, null, 2))
}

/** A fence is longer than any in the text. */
function fenced(text: string, language = ''): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((match) => match[0].length))
  const fence = '`'.repeat(longest + 1)
  return [`${fence}${language}`, text, fence, '']
}
