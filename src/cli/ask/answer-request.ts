/**
 * Prompts the user at the terminal for answers to requests, one after the other, unless another client
 * answers first.
 */

import type { Client } from '../../client/client.js'
import { HubError } from '../../protocol/error.js'
import type { InboxRequest } from '../../protocol/request.js'
import type { Terminal } from '../output/terminal.js'
import { hint } from '../own-command.js'
import { askPerson } from './ask-person.js'

/** Queue of requests for this terminal. One prompt at a time: a key must never answer two. */
export class Asker {
  readonly #client: Client
  readonly #terminal: Terminal
  readonly #waiting = new Map<string, InboxRequest>()
  #current: { id: string; taken: AbortController } | null = null

  readonly #describe: (request: InboxRequest) => Promise<string>

  /** `describe` says which session asks; a command that shows one session needs it not. */
  constructor(
    client: Client,
    terminal: Terminal,
    describe: (request: InboxRequest) => Promise<string> = async () => '',
  ) {
    this.#client = client
    this.#terminal = terminal
    this.#describe = describe
  }

  add(request: InboxRequest): void {
    const { id, isOnlyInTerminal } = request
    if (!this.#terminal.isInteractive) {
      this.#terminal.note(
        hint(
          `Waiting for an answer to ${id}. Answer it in the dashboard or with "${answerCommand(request)}".`,
        ),
      )
      return
    }
    // Its own terminal asks for it.
    if (isOnlyInTerminal || this.#waiting.has(id)) return
    this.#waiting.set(id, request)
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
    const [request] = this.#waiting.values()
    if (!request || this.#current) return
    const current = { id: request.id, taken: new AbortController() }
    this.#current = current
    this.#ask(request, current.taken.signal)
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

  async #ask(request: InboxRequest, signal: AbortSignal): Promise<void> {
    const where = await this.#describe(request)
    if (signal.aborted) return
    if (where !== '') this.#terminal.note(`\n${this.#terminal.color.dim(where)}`)
    const body = await askPerson(request, this.#terminal, signal)
    if (body) await this.#client.answerRequest({ params: { id: request.id }, body })
    else
      this.#terminal.note(
        hint(
          `Standard input has ended. ${request.id} is still pending: answer it in the dashboard or with "${answerCommand(request)}".`,
        ),
      )
  }
}

/** The command that answers it: a question takes no yes or no. */
function answerCommand({ id, kind }: InboxRequest): string {
  return kind === 'question' ? `signalbox answer ${id}` : `signalbox allow ${id}`
}

function isAnswered(error: unknown): boolean {
  return error instanceof HubError && error.code === 'request_already_resolved'
}
