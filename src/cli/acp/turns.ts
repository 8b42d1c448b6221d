/** The prompts of an editor that have not ended, each with the turn that it started or joined. */

import type { StopReason } from '@agentclientprotocol/sdk'
import type { DataOf, Delta, SessionEvent } from '../../protocol/event/event.js'
import { turnFailed } from './refusal.js'

interface Prompt {
  turnId: string | null
  end(reason: StopReason): void
  fail(error: unknown): void
}

const STOP_REASONS: Readonly<Partial<Record<DataOf<'turn.ended'>['stopReason'], StopReason>>> = {
  finished: 'end_turn',
  tool_deferred: 'end_turn',
  stop_hook: 'end_turn',
  interrupted: 'cancelled',
  max_output_tokens: 'max_tokens',
  max_turns: 'max_turn_requests',
  refusal: 'refusal',
}

export class Turns {
  readonly #prompts = new Map<string, Prompt>()
  readonly #pending = new Set<string>()
  #running: string | null
  /** The editor has cancelled: what ends now was cancelled, however it ended. */
  isCancelled = false

  constructor(running: string | null, pending: readonly string[]) {
    this.#running = running
    this.#pending = new Set(pending)
  }

  get isEmpty(): boolean {
    return this.#prompts.size === 0
  }

  has(messageId: string): boolean {
    return this.#prompts.has(messageId)
  }

  add(messageId: string): Promise<StopReason> {
    this.isCancelled = false
    return new Promise((end, fail) => this.#prompts.set(messageId, { turnId: null, end, fail }))
  }

  failAll(error: unknown): void {
    for (const { fail } of this.#prompts.values()) fail(error)
    this.#prompts.clear()
  }

  apply(event: SessionEvent | Delta): void {
    switch (event.type) {
      case 'turn.started':
        return this.#started(event.data)
      case 'message.delivered': {
        const prompt = this.#prompts.get(event.data.messageId)
        if (prompt) prompt.turnId = event.data.turnId ?? this.#running
        return
      }
      case 'message.cancelled':
        return this.#finish(event.data.messageId, this.isCancelled ? null : event.data.reason)
      case 'permission.requested':
      case 'question.requested':
        this.#pending.add(event.data.requestId)
        return
      case 'permission.resolved':
      case 'question.resolved':
        this.#pending.delete(event.data.requestId)
        // Only an answer continues a turn that a restart has cut off.
        if (this.#pending.size === 0 && event.data.by === 'shutdown') this.#failCutOff()
        return
      case 'turn.ended':
        return this.#ended(event.data)
      case 'session.ended':
        for (const id of this.#prompts.keys()) this.#finish(id, null)
        return
      default:
    }
  }

  #started({ turnId, messageIds }: DataOf<'turn.started'>): void {
    this.#running = turnId
    for (const id of messageIds) {
      const prompt = this.#prompts.get(id)
      if (prompt) prompt.turnId = turnId
    }
    // An answer has continued the turn that a restart of the daemon had cut off.
    for (const prompt of this.#prompts.values()) if (prompt.turnId === CUT_OFF) prompt.turnId = turnId
  }

  #ended({ turnId, stopReason, errors }: DataOf<'turn.ended'>): void {
    this.#running = null
    const isCutOff = stopReason === 'daemon_restarted' && this.#pending.size > 0 && !this.isCancelled
    const reason = this.isCancelled ? 'cancelled' : STOP_REASONS[stopReason]
    for (const [id, prompt] of this.#prompts) {
      if (prompt.turnId !== turnId) continue
      if (isCutOff) {
        prompt.turnId = CUT_OFF
        continue
      }
      this.#prompts.delete(id)
      if (reason) prompt.end(reason)
      else prompt.fail(turnFailed(errors[0] ?? textOf(stopReason), stopReason))
    }
  }

  #failCutOff(): void {
    for (const [id, prompt] of this.#prompts)
      if (prompt.turnId === CUT_OFF) this.#finish(id, textOf('daemon_restarted'))
  }

  #finish(messageId: string, problem: string | null): void {
    const prompt = this.#prompts.get(messageId)
    this.#prompts.delete(messageId)
    if (problem === null) prompt?.end('cancelled')
    else prompt?.fail(turnFailed(problem, 'message_cancelled'))
  }
}

/** In place of a turn: it was cut off while requests were pending, and an answer will start another. */
const CUT_OFF = 'cut off'

function textOf(stopReason: string): string {
  if (stopReason === 'daemon_restarted')
    return 'The daemon was restarted during the turn. Send "continue" to let the agent go on.'
  return `The turn failed (${stopReason}).`
}
