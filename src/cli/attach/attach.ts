/**
 * `signalbox attach`: one session in this terminal. Follows it, answers its requests, sends what is typed, interrupts its
 * turn, and leaves it running. Connections come and go: the daemon may crash and start again meanwhile.
 */

import type { Client } from '../../client/client.js'
import { printable } from '../../lib/text/printable.js'
import type { Delta, SessionEvent } from '../../protocol/event/event.js'
import { applyToRequest } from '../../protocol/request.js'
import type { Session } from '../../protocol/session.js'
import { applyEvent } from '../../protocol/view/view.js'
import { Asker } from '../ask/answer-request.js'
import { createScreen } from '../follow-turn.js'
import { conditionText } from '../list/session-text.js'
import { noteConnection } from '../note-connection.js'
import type { Terminal } from '../output/terminal.js'
import { LineBuffer } from './line-buffer.js'
import { edit } from './line-editor.js'

export interface Attachment {
  client: Client
  session: Session
  terminal: Terminal
}

/** Why it ended. */
export type Ending = 'left' | 'ended'

export async function attachTo({ client, session: first, terminal }: Attachment): Promise<Ending> {
  const { note, color } = terminal
  const left = new AbortController()
  const params = { id: first.id }
  let session = first
  let text = ''
  let isAsking = false
  /** Waits for the line to be empty: what is being typed must not answer a request. */
  let whenEmpty: (() => void) | null = null

  const draw = () =>
    terminal.line(isAsking ? null : `${color.dim(conditionText(session))} › ${printable(text)}`)
  const failed = (error: unknown) => note(color.red(error instanceof Error ? error.message : String(error)))
  const interrupt = () => {
    if (session.state === 'idle') return note('No turn is running. Press Ctrl-D to detach.')
    note('Interrupting.')
    client.interruptSession({ params, body: {} }).catch(failed)
  }
  const send = (message: string) => {
    client.sendMessage({ params, body: { text: message } }).catch((error: unknown) => {
      failed(error)
      // Nothing that was typed is lost.
      text = text === '' ? message : text
      draw()
    })
  }
  const onInput = (input: string) => {
    const result = edit(text, input)
    if (result.kind === 'interrupt') return interrupt()
    if (result.kind === 'leave') return left.abort()
    text = result.kind === 'send' ? '' : result.text
    if (result.kind === 'send') send(result.text)
    draw()
    if (text === '') whenEmpty?.()
  }

  let closeKeys = await terminal.keys(onInput, draw)
  const asking = async <Answer>(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> => {
    if (text !== '') {
      note(color.yellow('A request is waiting. Send or clear the line to answer it.'))
      await new Promise<void>((resolve) => {
        whenEmpty = resolve
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      whenEmpty = null
    }
    isAsking = true
    draw()
    closeKeys()
    try {
      return await ask()
    } finally {
      isAsking = false
      if (!left.signal.aborted) {
        closeKeys = await terminal.keys(onInput, draw)
        draw()
      }
    }
  }
  const asker = new Asker(client, {
    ...terminal,
    key: (question, keys, signal) => asking(() => terminal.key(question, keys, signal), signal),
    ask: (question, signal) => asking(() => terminal.ask(question, signal), signal),
  })

  const lines = new LineBuffer(
    () => terminal.columns ?? 80,
    (line) => terminal.out(`${line}\n`),
  )
  const screen = createScreen({ ...terminal, stream: (part) => lines.push(part) }, first.cwd)
  const show = (event: SessionEvent | Delta) => {
    screen.show(event)
    switch (event.type) {
      case 'message.queued':
        return note(color.bold(`> ${printable(event.data.text)}`))
      case 'turn.ended':
        if (event.data.outcome !== 'completed')
          note(
            color.red(
              event.data.outcome === 'interrupted' ? 'Interrupted.' : `Failed (${event.data.stopReason}).`,
            ),
          )
        return
      case 'permission.requested':
      case 'question.requested': {
        const request = applyToRequest(null, event)
        if (request) asker.add(request)
        return
      }
      case 'permission.resolved':
      case 'question.resolved':
        return asker.settle(event.data.requestId)
      default:
    }
  }

  const leave = () => left.abort()
  process.on('SIGINT', interrupt).once('SIGTERM', leave).once('SIGHUP', leave)
  process.stdout.on('resize', draw)
  try {
    draw()
    for (const id of first.pendingRequests)
      client.getRequest({ params: { id } }).then(({ request }) => asker.add(request), failed)
    const events = client.events({
      sessionId: first.id,
      after: first.lastSeq,
      signal: left.signal,
      onState: noteConnection(terminal, left.signal),
    })
    for await (const { event } of events) {
      session = applyEvent(session, event) ?? session
      show(event)
      draw()
      if (event.type === 'session.ended') return 'ended'
    }
    return 'left'
  } finally {
    left.abort()
    asker.close()
    terminal.line(null)
    closeKeys()
    process.off('SIGINT', interrupt).off('SIGTERM', leave).off('SIGHUP', leave)
    process.stdout.off('resize', draw)
  }
}
