/** `signalbox watch`: what happens, as it happens. */

import { printable } from '../../../lib/text/printable.js'
import { HubError } from '../../../protocol/error.js'
import type { DataOf, SessionEvent } from '../../../protocol/event/event.js'
import { describeCall } from '../../../protocol/view/describe.js'
import { type CommandOptions, clientFor, orList, readNumber } from '../../command-options.js'
import { EXIT } from '../../exit-code.js'
import { decidedText } from '../../follow-turn.js'
import { noteConnection } from '../../note-connection.js'
import type { Terminal } from '../../output/terminal.js'
import { money, shortPath } from '../../output/text.js'
import { clockText, type TimeOptions } from '../../output/time.js'
import { hang } from '../../output/width.js'
import { findSessionId } from '../../short-id.js'

/** Characters of a session id: its end, which is random. */
const SHOWN = 6

export async function watch(
  short: string | undefined,
  options: CommandOptions & TimeOptions & { after?: string; type?: string },
  terminal: Terminal,
): Promise<number> {
  const client = clientFor(options)
  const { after, type } = options
  const sessionId = short === undefined ? undefined : await findSessionId(client, short)
  const left = new AbortController()
  const leave = () => left.abort()
  process.once('SIGINT', leave).once('SIGTERM', leave)
  const events = client.events({
    ...(sessionId !== undefined && { sessionId }),
    ...(after !== undefined && {
      after: readNumber('--after', after, { min: 0, max: Number.MAX_SAFE_INTEGER }),
    }),
    ...(type !== undefined && { types: await readTypes(type) }),
    deltas: false,
    signal: left.signal,
    onState: noteConnection(terminal, left.signal),
  })
  for await (const { event } of events) {
    if (!('seq' in event)) continue
    const line = options.json ? null : lineOf(event, terminal.columns === null)
    if (options.json) terminal.json(event)
    else if (line !== null) {
      const who = sessionId === undefined ? `${event.sessionId.slice(-SHOWN)}  ` : ''
      terminal.out(`${hang(`${clockText(event.at, options)}  ${who}`, line, terminal.columns)}\n`)
    }
  }
  return left.signal.aborted ? EXIT.interrupted : EXIT.done
}

/** Names the nearest types instead of all of them. */
async function readTypes(text: string): Promise<string[]> {
  const { eventTypes } = await import('../../../protocol/event/event.js')
  const known: readonly string[] = eventTypes
  const types = text.split(',').map((type) => type.trim())
  const unknown = types.find((type) => !known.includes(type))
  if (unknown === undefined) return types
  const noun = unknown.split('.')[0] ?? ''
  const near = known.filter((type) =>
    type.split('.').some((part) => part !== '' && (part.startsWith(noun) || noun.startsWith(part))),
  )
  const kinds = [...new Set(known.map((type) => type.split('.')[0] ?? ''))]
  const advice =
    near.length > 0
      ? `Use ${orList(near)}.`
      : `Types begin with ${orList(kinds)}; docs/protocol.md lists them.`
  throw new HubError('request_invalid', `Unknown --type "${unknown}". ${advice}`)
}

/** One line per event; null for events that only programs need. Into a pipe ids are whole. */
function lineOf(event: SessionEvent, hasWholeIds: boolean): string | null {
  const shown = (id: string) => (hasWholeIds ? id : id.slice(-SHOWN))
  switch (event.type) {
    case 'session.created':
      return `session started in ${oneLine(shortPath(event.data.cwd))}`
    case 'session.ended':
      return `session ended: ${oneLine(event.data.reason)}`
    case 'message.queued':
      return `> ${oneLine(event.data.text)}`
    case 'text.ended':
      return oneLine(event.data.text)
    case 'tool.requested':
      return `· ${describeCall(event.data.name, event.data.input)}`
    case 'tool.ended':
      return endText(event.data)
    case 'permission.requested':
      return `? ${oneLine(event.data.title)}  [${shown(event.data.requestId)}]`
    case 'question.requested':
      return `? ${oneLine(event.data.questions[0]?.question ?? event.data.form?.message ?? '')}  [${shown(event.data.requestId)}]`
    case 'permission.resolved':
      return `  ${oneLine(decidedText(event.data))}`
    case 'question.resolved':
      return `  Answered by ${event.data.who ?? event.data.by}`
    case 'turn.ended':
      return `turn ${event.data.outcome}${event.data.costUsd && !event.data.isScripted ? `, ${money(event.data.costUsd)}` : ''}`
    case 'agent.started':
      return `agent ${event.data.agentType} started: ${oneLine(event.data.description ?? '')}`
    case 'agent.ended':
      return `agent ${event.data.outcome}`
    case 'skill.started':
      return `skill ${event.data.skillName} started`
    case 'skill.ended':
      return `skill ${event.data.skillName} ${event.data.outcome}`
    case 'changes.recorded':
      return `  changed ${oneLine(event.data.files.map(({ path }) => path).join(', '))}, +${event.data.totals.insertions} -${event.data.totals.deletions}`
    case 'changes.undone':
      return `${event.data.isRedo ? 'redone' : 'undone'} by ${oneLine(event.data.by.who)}: ${event.data.totals.files} files`
    case 'changes.overlapped':
      return `another session (${event.data.sessionId.slice(-SHOWN)}) changed the same files: ${oneLine(event.data.files.join(', '))}`
    case 'notice.raised':
      return event.data.level === 'info' ? null : oneLine(event.data.text)
    case 'error.raised':
      return oneLine(event.data.message)
    default:
      return null
  }
}

/** A denial by a user has an event of its own. */
function endText({ outcome, error, by }: DataOf<'tool.ended'>): string | null {
  if (outcome === 'completed' || (outcome === 'denied' && !by?.startsWith('policy'))) return null
  const why = oneLine(error ?? '')
  return `  ${outcome}${why === '' ? '' : `: ${why}`}`
}

function oneLine(text: string): string {
  const line = printable(text.replaceAll(/\s+/g, ' ').trim())
  return line.length > 160 ? `${line.slice(0, 160)}…` : line
}
