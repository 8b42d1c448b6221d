/** The messages that the process of a session is given: each is sent once, and can be cancelled until it is read. */

import type { Clock } from '../lib/clock.js'
import { uuidOf } from '../lib/id.js'
import { HubError } from '../protocol/error.js'
import { CONTROL_MS, notResponding } from './claude/control-timeout.js'
import type { Claude, ClaudeMessage } from './claude/port.js'
import type { Gate } from './gate/gate.js'
import { isVerbatim } from './gate/verbatim.js'
import { Outbox, type OutgoingMessage } from './outbox.js'
import type { MessageEnd, Recorder } from './translate/recorder.js'

export interface MessageInputDeps extends Pick<Gate, 'mayRead'> {
  claude: Pick<Claude, 'send' | 'cancel'>
  recorder: Recorder
  clock: Clock
  /** Files that changed without the agent since its last message. */
  staleFiles: readonly string[]
  /** Whether a message must not be sent any more. */
  isCancelled(messageId: string): boolean
  interrupt(): Promise<void>
  /** Whether the process takes no more messages: it is gone, or being ended. */
  isOver(): boolean
  /** Settles when the process is gone. */
  ended(): Promise<unknown>
  onSent(message: ClaudeMessage): void
}

export class MessageInput {
  readonly #deps: MessageInputDeps
  readonly #outbox: Outbox
  #stale: readonly string[]

  constructor(deps: MessageInputDeps) {
    this.#deps = deps
    this.#stale = deps.staleFiles
    const { recorder } = deps
    this.#outbox = new Outbox({
      isBusy: () => recorder.isBusy,
      hasTurn: () => recorder.hasTurn,
      interrupt: () => deps.interrupt(),
      isCancelled: (messageId) => deps.isCancelled(messageId),
      handOver: (message) => this.#handOver(message),
    })
  }

  /** A previous run has sent these. */
  noteSent(messageIds: readonly string[]): void {
    const { recorder } = this.#deps
    for (const messageId of messageIds) {
      this.#outbox.noteSent(messageId)
      if (!recorder.hasSent(messageId)) recorder.record({ kind: 'sent', messageId })
    }
  }

  async send(message: OutgoingMessage): Promise<void> {
    await this.#outbox.add({ ...message, isVerbatim: await isVerbatim(message, this.#deps.mayRead) })
  }

  #handOver({ messageId, text, content, isVerbatim: asWritten = true }: OutgoingMessage): void {
    const { claude, recorder, isOver, onSent } = this.#deps
    // It stays queued, for the next process.
    if (isOver()) return
    const message = {
      uuid: uuidOf(messageId),
      content: this.#withNote(content ?? text),
      ...(asWritten && { isVerbatim: true as const }),
    }
    // Send first: a user waits for the answer, and the bookkeeping can follow.
    claude.send(message)
    recorder.record({ kind: 'sent', messageId })
    onSent(message)
  }

  /** Files changed without the agent: it learns of them with its next message. */
  noteStale(files: readonly string[]): void {
    this.#stale = [...new Set([...this.#stale, ...files])]
  }

  /** A command of the CLI must stay at the start of its message, so it carries no note. */
  #withNote(content: ClaudeMessage['content']): ClaudeMessage['content'] {
    const isCommand = typeof content === 'string' && content.startsWith('/')
    if (this.#stale.length === 0 || isCommand) return content
    const note = { type: 'text' as const, text: staleNote(this.#stale) }
    this.#stale = []
    return [note, ...(typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content)]
  }

  /** Called when something has happened: messages that waited for the end of the turn may go now. */
  release(): void {
    this.#outbox.release()
  }

  /** Whether the process was given this message and has not read it. */
  hasSent(messageId: string): boolean {
    return this.#deps.recorder.hasSent(messageId)
  }

  /** Whether this message waits for the running turn to end. */
  isHolding(messageId: string): boolean {
    return this.#outbox.isHeld(messageId)
  }

  /** As if this message had never been handed in; only while it was not sent. */
  forget(messageId: string): void {
    this.#outbox.forget(messageId)
  }

  /**
   * Asks Claude Code to cancel a message that it was given. `unread`: the process ended first. Race: the request can
   * overtake the message (2.1.325). It is then refused, and the message is cancelled when it arrives.
   */
  async cancelSent(messageId: string, reason: string): Promise<MessageEnd | 'unread'> {
    const { claude, recorder } = this.#deps
    const ended = this.#deps.ended()
    const end = recorder.endOf(messageId)
    recorder.record({ kind: 'cancelling', messageId, reason })
    try {
      // A process that is killed meanwhile may never answer.
      const isEnded = ended.then(() => false)
      if (await Promise.race([claude.cancel(uuidOf(messageId)), isEnded]))
        recorder.record({ kind: 'cancelled', messageId })
    } catch (error) {
      // A process that says nothing in time. One that refuses because it ends is waited for below.
      if (error instanceof HubError) throw error
    }
    const how = await this.#within(CONTROL_MS, Promise.race([end, ended.then(() => 'unread' as const)]))
    await recorder.settled()
    return how
  }

  #within<Value>(ms: number, work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const cancel = this.#deps.clock.after(ms, () => reject(notResponding()))
      work.then(resolve, reject).finally(cancel)
    })
  }
}

const MAX_NAMED = 20

function staleNote(files: readonly string[]): string {
  const more = files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more` : ''
  const names = files.slice(0, MAX_NAMED).map((file) => JSON.stringify(file))
  return `Note from Signalbox: since your last turn these files changed without you, because a user undid changes or another session changed them: ${names.join(', ')}${more}. Read them again before you rely on their content.`
}
