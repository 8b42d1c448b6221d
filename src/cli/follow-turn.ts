/** Shows a turn in the terminal as it happens, asks what must be asked, and ends with it. */

import type { Client } from '../client/client.js'
import { describeCall } from '../protocol/describe.js'
import type { DataOf, Delta, SessionEvent } from '../protocol/event.js'
import { answerRequest } from './answer-request.js'
import { EXIT } from './exit-code.js'
import type { Terminal } from './terminal.js'

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
    terminal.note('Interrupting. Press Ctrl-C again to leave.')
    client.interruptSession({ params: { id: sessionId }, body: {} }).catch(() => stopped.abort())
  }
  process.once('SIGINT', onInterrupt)
  const questions = new Map<string, AbortController>()
  const screen = createScreen(terminal, turn.cwd)
  try {
    let turnId: string | null = null
    for await (const { event } of client.events({ sessionId, after: turn.after, signal: stopped.signal })) {
      if (isJson && 'seq' in event) terminal.json(event)
      else if (!isJson) screen.show(event)
      if (event.type === 'message.delivered' && event.data.messageId === turn.messageId)
        turnId = event.data.turnId ?? null
      if (event.type === 'message.cancelled' && event.data.messageId === turn.messageId) return EXIT.failed
      if (event.type === 'permission.requested' || event.type === 'question.requested') {
        questions.set(event.data.requestId, answerRequest(client, event, terminal))
      }
      if (event.type === 'permission.resolved' || event.type === 'question.resolved') {
        questions.get(event.data.requestId)?.abort()
      }
      if (event.type === 'turn.ended' && event.data.turnId === turnId)
        return exitCodeOfTurn(event.data, terminal)
      if (event.type === 'session.ended') return EXIT.interrupted
    }
    return EXIT.interrupted
  } finally {
    process.removeListener('SIGINT', onInterrupt)
    stopped.abort()
    for (const question of questions.values()) question.abort()
  }
}

function exitCodeOfTurn(
  { outcome, errors, stopReason }: DataOf<'turn.ended'>,
  { note, color }: Terminal,
): number {
  if (outcome === 'completed') return EXIT.done
  note(color.red(outcome === 'interrupted' ? 'Interrupted.' : `Failed (${stopReason}).`))
  for (const error of errors) note(error)
  return outcome === 'interrupted' ? EXIT.interrupted : EXIT.failed
}

/** Text goes to standard output as it is written; what happens around it to standard error. */
function createScreen({ out, note, color }: Terminal, cwd: string) {
  let isInText = false
  const endText = () => {
    if (isInText) out('\n')
    isInText = false
  }
  return {
    show(event: SessionEvent | Delta): void {
      switch (event.type) {
        case 'text.delta':
          isInText = true
          return out(event.data.text)
        case 'text.ended':
          if (event.data.parentToolUseId === undefined) endText()
          return
        case 'tool.requested':
          return note(color.dim(`· ${describeCall(event.data.name, event.data.input, cwd)}`))
        case 'tool.ended':
          if (event.data.outcome !== 'completed')
            note(color.dim(`  ${event.data.outcome} ${event.data.error ?? ''}`))
          return
        case 'permission.resolved':
          return note(color.dim(`  ${event.data.decision} (${event.data.who ?? event.data.by})`))
        case 'notice.raised':
          if (event.data.level !== 'info') note(color.yellow(event.data.text))
          return
        case 'error.raised':
          return note(color.red(event.data.message))
        case 'turn.ended':
          return endText()
        default:
      }
    },
  }
}
