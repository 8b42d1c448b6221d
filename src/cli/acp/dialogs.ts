/** The dialogs of one session in an editor: one for each pending request, closed when it is answered elsewhere. */

import { randomUUID } from 'node:crypto'
import { type AgentContext, methods } from '@agentclientprotocol/sdk'
import { HubError } from '../../protocol/error.js'
import type { InboxRequest } from '../../protocol/request.js'
import { askEditor } from './dialog.js'
import type { Plane } from './plane.js'

export interface DialogsOptions {
  plane: Plane
  editor: AgentContext
  cwd: string
  hasForms: boolean
  /** A request that the editor cannot show, or an answer that was refused. */
  onProblem(request: InboxRequest, problem: string): void
}

export class Dialogs {
  readonly #options: DialogsOptions
  readonly #open = new Map<string, AbortController>()

  constructor(options: DialogsOptions) {
    this.#options = options
  }

  open(request: InboxRequest): void {
    const { plane } = this.#options
    // A viewer cannot answer, and a terminal asks for itself.
    if (plane.role === 'viewer' || request.isOnlyInTerminal || this.#open.has(request.id)) return
    const closed = new AbortController()
    this.#open.set(request.id, closed)
    this.#ask(request, closed.signal)
      .catch((error: unknown) => {
        if (closed.signal.aborted || isAnswered(error)) return
        this.#options.onProblem(request, error instanceof Error ? error.message : String(error))
      })
      .finally(() => {
        if (this.#open.get(request.id) === closed) this.#open.delete(request.id)
      })
  }

  /** It was answered, here or elsewhere, or the answer is not needed any more. */
  settle(requestId: string): void {
    this.#open.get(requestId)?.abort()
    this.#open.delete(requestId)
  }

  close(): void {
    for (const id of this.#open.keys()) this.settle(id)
  }

  async #ask(request: InboxRequest, signal: AbortSignal): Promise<void> {
    const { plane, editor, cwd, hasForms } = this.#options
    // The editor is asked to close its dialog, and what it answers after that is dropped.
    const cancelled = { cancellationSignal: signal, stopWaitingOnCancel: true }
    const answer = await askEditor(request, cwd, {
      permission: (params) => editor.request(methods.client.session.requestPermission, params, cancelled),
      form: hasForms
        ? (params) => editor.request(methods.client.elicitation.create, params, cancelled)
        : null,
    })
    // A dialog that was closed decides nothing: the request stays pending.
    if (signal.aborted || answer === null) return
    const body = { ...answer, idempotencyKey: randomUUID() }
    // Until it is answered: the daemon may be restarting.
    await plane.call(() => plane.client.answerRequest({ params: { id: request.id }, body }), {
      signal,
      limitMs: Number.POSITIVE_INFINITY,
    })
  }
}

function isAnswered(error: unknown): boolean {
  return error instanceof HubError && error.code === 'request_already_resolved'
}
