/**
 * Prompts the user at the terminal for answers to requests, one after the other, unless another client
 * answers first.
 */

import type { Client } from '../client/client.js'
import { HubError } from '../protocol/error.js'
import type { EventOf } from '../protocol/event/event.js'
import { applyToRequest } from '../protocol/request.js'
import { askPerson } from './ask-person.js'
import type { Terminal } from './terminal.js'

type RequestedEvent = EventOf<'permission.requested'> | EventOf<'question.requested'>

/** Queue of requests for this terminal. One prompt at a time: a key must never answer two. */
export class Asker {
  readonly #client: Client
  readonly #terminal: Terminal
  readonly #waiting = new Map<string, RequestedEvent>()
  #current: { id: string; taken: AbortController } | null = null

  constructor(client: Client, terminal: Terminal) {
    this.#client = client
    this.#terminal = terminal
  }

  add(event: RequestedEvent): void {
    const { requestId: id } = event.data
    if (!this.#terminal.isInteractive) {
      this.#terminal.note(
        `Waiting for an answer to ${id}. Answer it in the dashboard or with "signalbox answer ${id}".`,
      )
      return
    }
    this.#waiting.set(id, event)
    this.#next()
  }

  /** It was answered elsewhere, or the answer is not needed any more. */
  settle(id: string): void {
    this.#waiting.delete(id)
    if (this.#current?.id === id) this.#current.taken.abort()
  }

  close(): void {
    this.#waiting.clear()
    this.#current?.taken.abort()
  }

  #next(): void {
    const [event] = this.#waiting.values()
    if (!event || this.#current) return
    const current = { id: event.data.requestId, taken: new AbortController() }
    this.#current = current
    this.#ask(event, current.taken.signal)
      .catch((error: unknown) => {
        // Race: another client has answered, or the turn was interrupted. The events report it.
        if (current.taken.signal.aborted || isAnswered(error)) return
        this.#terminal.note(error instanceof Error ? error.message : String(error))
      })
      .finally(() => {
        this.#waiting.delete(current.id)
        this.#current = null
        this.#next()
      })
  }

  async #ask(event: RequestedEvent, signal: AbortSignal): Promise<void> {
    const request = applyToRequest(null, event)
    const body = request && (await askPerson(request, this.#terminal, signal))
    if (body) await this.#client.answerRequest({ params: { id: event.data.requestId }, body })
    else
      this.#terminal.note(
        `Standard input has ended. ${event.data.requestId} is still pending: answer it in the dashboard or with "signalbox answer".`,
      )
  }
}

function isAnswered(error: unknown): boolean {
  return error instanceof HubError && error.code === 'request_already_resolved'
}
