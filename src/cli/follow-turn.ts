/** Shows a turn in the terminal as it happens, asks what must be asked, and ends with it. */

import type { Client } from '../client/client.js'
import type { StreamState } from '../client/event-stream.js'
import { printable } from '../lib/text/printable.js'
import type { DataOf, Delta, SessionEvent } from '../protocol/event/event.js'
import { applyToRequest } from '../protocol/request.js'
import { describeCall } from '../protocol/view/describe.js'
import { Asker } from './ask/answer-request.js'
import { EXIT } from './exit-code.js'
import type { Terminal } from './output/terminal.js'
import { WordStream } from './output/word-stream.js'

export interface FollowedTurn {
  client: Client
  sessionId: string
  cwd: string
  messageId: string
  /** Goes on behind this event. */
  after: number
  isJson: boolean
}

export async function followTurn(turn: FollowedTurn, terminal: Terminal): Promise<number> {
  const { client, sessionId, isJson } = turn
  const stopped = new AbortController()
  const onInterrupt = () => {
    // The first Ctrl-C stops the turn, the second this command.
    process.once('SIGINT', () => stopped.abort())
    terminal.note('Interrupting. Press Ctrl-C again to exit.')
    client.interruptSession({ params: { id: sessionId }, body: {} }).catch(() => stopped.abort())
  }
  process.once('SIGINT', onInterrupt)
  const asker = new Asker(client, terminal)
  const words = new WordStream(
    () => terminal.columns ?? Number.POSITIVE_INFINITY,
    (text) => terminal.stream(text),
  )
  // A pipe gets the text as it is.
  const stream = terminal.columns === null ? terminal.stream : (text: string) => words.push(text)
  const screen = createScreen({ stream, note: terminal.note, color: terminal.color }, turn.cwd)
  try {
    let turnId: string | null = null
    /** The end of the turn if a restart of the daemon has cut it off while requests were pending. */
    let cutOff: DataOf<'turn.ended'> | null = null
    const pending = new Set<string>()
    const events = client.events({
      sessionId,
      after: turn.after,
      signal: stopped.signal,
      onState: noteOutage(terminal),
    })
    for await (const { event } of events) {
      if (isJson && 'seq' in event) terminal.json(event)
      else if (!isJson) screen.show(event)
      if (event.type === 'message.delivered' && event.data.messageId === turn.messageId)
        turnId = event.data.turnId ?? null
      if (event.type === 'message.cancelled' && event.data.messageId === turn.messageId) return EXIT.failed
      if (event.type === 'permission.requested' || event.type === 'question.requested') {
        const request = applyToRequest(null, event)
        if (request) asker.add(request)
        pending.add(event.data.requestId)
      }
      if (event.type === 'permission.resolved' || event.type === 'question.resolved') {
        asker.settle(event.data.requestId)
        pending.delete(event.data.requestId)
        // Only an answer continues the turn.
        if (cutOff && pending.size === 0 && NO_ANSWER.has(event.data.by))
          return exitCodeOfTurn(cutOff, terminal)
      }
      if (event.type === 'turn.started' && cutOff) {
        turnId = event.data.turnId
        cutOff = null
      }
      if (event.type === 'turn.ended' && event.data.turnId === turnId) {
        if (event.data.stopReason !== 'daemon_restarted' || pending.size === 0)
          return exitCodeOfTurn(event.data, terminal)
        cutOff = event.data
        turnId = null
        terminal.note(
          terminal.color.yellow(
            'The daemon was restarted. The request is still pending: an answer continues the turn.',
          ),
        )
      }
      if (event.type === 'session.ended') return EXIT.interrupted
    }
    return EXIT.interrupted
  } finally {
    process.removeListener('SIGINT', onInterrupt)
    stopped.abort()
    asker.close()
  }
}

/** Causes that resolve a request without an answer. */
const NO_ANSWER: ReadonlySet<string> = new Set(['shutdown'])

function exitCodeOfTurn(
  { outcome, errors, stopReason }: DataOf<'turn.ended'>,
  { note, color }: Terminal,
): number {
  if (outcome === 'completed') return EXIT.done
  note(color.red(outcome === 'interrupted' ? 'Interrupted.' : `Failed (${stopReason}).`))
  for (const error of errors) note(error)
  return outcome === 'interrupted' ? EXIT.interrupted : EXIT.failed
}

/** Text goes to standard output as it is written, each character once; what happens around it to standard error. */
export function createScreen(
  { stream: out, note, color }: Pick<Terminal, 'stream' | 'note' | 'color'>,
  cwd: string,
) {
  /** How much of each block has been printed. */
  const printed = new Map<string, number>()
  const print = (block: string, offset: number, text: string) => {
    const done = printed.get(block) ?? 0
    const fresh = text.slice(Math.max(0, done - offset))
    printed.set(block, Math.max(done, offset + text.length))
    out(fresh)
  }
  return {
    show(event: SessionEvent | Delta): void {
      switch (event.type) {
        case 'text.delta':
          return print(`${event.data.messageId}/${event.data.index}`, event.data.offset, event.data.text)
        case 'text.ended': {
          const { messageId, index, text, parentToolUseId } = event.data
          if (parentToolUseId !== undefined) return
          print(`${messageId}/${index}`, 0, text)
          return out('\n')
        }
        case 'tool.requested':
          return note(color.dim(`· ${describeCall(event.data.name, event.data.input, cwd)}`))
        case 'tool.ended':
          // A denial has been shown with who denied it.
          if (event.data.outcome !== 'completed' && event.data.outcome !== 'denied') {
            note(color.dim(`  ${event.data.outcome} ${printable(event.data.error ?? '')}`))
          }
          return
        case 'permission.resolved':
          return note(color.dim(`  ${decidedText(event.data)}`))
        case 'worktree.created':
          return note(
            color.dim(`Worktree ${printable(event.data.path)}, branch ${printable(event.data.branch)}`),
          )
        case 'setup.started':
          return note(color.dim(`Running ${printable(event.data.command)}`))
        case 'setup.ended': {
          const { outcome, output } = event.data
          if (output !== '') note(color.dim(printable(output.trimEnd())))
          if (outcome !== 'completed')
            note(color.yellow(`The setup command ${outcome === 'failed' ? 'failed' : 'was interrupted'}.`))
          return
        }
        case 'notice.raised':
          if (event.data.level !== 'info') note(color.yellow(printable(event.data.text)))
          return
        case 'error.raised':
          return note(color.red(printable(event.data.message)))
        default:
      }
    },
  }
}

/** `Denied by admin: not now`. */
export function decidedText({ decision, who, by, message, reason }: DataOf<'permission.resolved'>): string {
  const words = decision === 'deny' ? (message ?? reason) : null
  return printable(
    `${decision === 'deny' ? 'Denied' : 'Allowed'} by ${who ?? by}${words ? `: ${words}` : ''}`,
  )
}

/** Says once for each outage that the daemon does not answer: the turn itself says nothing meanwhile. */
export function noteOutage(terminal: Pick<Terminal, 'note' | 'color'>): (state: StreamState) => void {
  let failures = 0
  return (state) => {
    if (state === 'live') failures = 0
    if (state !== 'waiting') return
    failures += 1
    // A single lost connection is resumed at once.
    if (failures === 2) terminal.note(terminal.color.dim('The daemon is not responding. Retrying.'))
  }
}
