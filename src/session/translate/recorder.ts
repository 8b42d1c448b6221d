/** Writes a session's log: everything that happens in it is translated here, in one order, and handed to the journal. */

import type { AppendOptions, Journal } from '../../journal/journal.js'
import type { Clock } from '../../lib/clock.js'
import type { IdSource } from '../../lib/id.js'
import type { DeltaDraft, EventDraft } from '../../protocol/event/event.js'
import type { PermissionMode } from '../../protocol/value.js'
import type { ResumePoint } from '../../store/port/append.js'
import type { Emission, TranslationState } from './state.js'
import { type SessionInput, translate } from './translate.js'

export interface RecorderDeps {
  sessionId: string
  journal: Journal
  clock: Clock
  ids: IdSource
  /** Whether the scripted model answers, so that nothing is spent. */
  isScripted?: boolean
  /** Called when not even the failure could be stored. */
  onFault(error: unknown): void
}

export type MessageEnd = 'delivered' | 'cancelled'

export class Recorder {
  readonly #deps: RecorderDeps
  /** The process, and how far its output is recorded; null while it has none that another run could attach to. */
  #point: Omit<ResumePoint, 'state'> | null = null
  #state: TranslationState
  /** The newest append. Those before it are done when it is. */
  #newest: Promise<unknown> = Promise.resolve()
  #hasLost = false
  /** Whether the end of the process is recorded. */
  #isClosed = false
  #listener: (draft: EventDraft) => void = () => {}
  /** Waiters for the end of a message that was sent. */
  readonly #ends = new Map<string, ((end: MessageEnd) => void)[]>()

  constructor(state: TranslationState, deps: RecorderDeps) {
    this.#state = state
    this.#deps = deps
  }

  /** From now on, all that is written carries how far the output of this launch was read. */
  beginLaunch(launch: string, offset: number): void {
    this.#point = { launch, offset }
  }

  /** `end`: where the message's line ends in the output of its process. */
  record(input: SessionInput, end: number | null = null): void {
    // Race: a call may still be judged when its process is gone. Nothing of it would ever end.
    if (this.#isClosed && input.kind !== 'mode') return
    this.#isClosed ||= input.kind === 'closed'
    const { clock, ids } = this.#deps
    const { state, output } = translate(this.#state, input, {
      now: clock.now(),
      newTurnId: () => ids.next('trn'),
    })
    this.#state = state
    if (this.#point && end !== null) this.#point = { ...this.#point, offset: end }
    for (const part of runs(output)) {
      if (Array.isArray(part))
        this.write(
          part.map((draft) => this.#priced(draft)),
          input,
        )
      else this.#deps.journal.publish(this.#deps.sessionId, part)
    }
    for (const item of output) this.#noteEnd(item)
  }

  #priced(draft: EventDraft): EventDraft {
    if (draft.type !== 'turn.ended' || this.#deps.isScripted !== true) return draft
    return { ...draft, data: { ...draft.data, isScripted: true } }
  }

  #noteEnd({ type, data }: Emission): void {
    if (type !== 'message.delivered' && type !== 'message.cancelled') return
    const waiting = this.#ends.get(data.messageId) ?? []
    this.#ends.delete(data.messageId)
    for (const settle of waiting) settle(type === 'message.delivered' ? 'delivered' : 'cancelled')
  }

  /** Resolves when a message that was sent is read or cancelled; never, if the process ends before. */
  endOf(messageId: string): Promise<MessageEnd> {
    return new Promise((resolve) =>
      this.#ends.set(messageId, [...(this.#ends.get(messageId) ?? []), resolve]),
    )
  }

  /** Appends events as they are. `source` is kept if they turn out not to be valid: nothing that was said is lost. */
  write(drafts: readonly EventDraft[], source?: SessionInput): void {
    const { journal, sessionId } = this.#deps
    for (const draft of drafts) this.#listener(draft)
    this.#newest = journal
      .append(sessionId, drafts, this.#progress())
      .catch((error: unknown) => this.#keep(error, source))
  }

  #progress(): AppendOptions {
    if (!this.#point) return {}
    return { resume: this.#isClosed ? null : { ...this.#point, state: this.#state } }
  }

  async #keep(error: unknown, source: SessionInput | undefined): Promise<void> {
    const { journal, sessionId, onFault } = this.#deps
    const message = `An event could not be stored: ${error instanceof Error ? error.message : 'unknown failure'}`
    try {
      await journal.append(sessionId, [
        ...(source ? [{ type: 'sdk.message' as const, data: { message: source } }] : []),
        { type: 'error.raised', data: { code: 'internal_error', message } },
      ])
    } catch {
      this.#hasLost = true
      onFault(error)
    }
  }

  /** Called with each event, before it is stored. */
  follow(listener: (draft: EventDraft) => void): void {
    this.#listener = listener
  }

  /** Whether a turn runs, or will as soon as the CLI reads the messages it was sent. */
  get isBusy(): boolean {
    return this.#state.turn !== null || this.#state.sent.length > 0
  }

  /** Whether the CLI was given this message and has not read it. */
  hasSent(messageId: string): boolean {
    return this.#state.sent.includes(messageId)
  }

  get hasTurn(): boolean {
    return this.#state.turn !== null
  }

  /** Whether the process must stay: a turn, a task or an alarm of it would be lost. */
  get isNeeded(): boolean {
    const { tools, tasks, hasSchedule } = this.#state
    return this.isBusy || hasSchedule || Object.keys(tools).length > 0 || Object.keys(tasks).length > 0
  }

  /** The session's mode as it is now, ahead of what is stored. */
  get mode(): PermissionMode {
    return this.#state.mode
  }

  /** Resolves when everything written so far is stored. */
  async settled(): Promise<void> {
    await this.#newest
  }

  /** The same; false if something was lost. */
  async isStored(): Promise<boolean> {
    await this.#newest
    return !this.#hasLost
  }

  /** Whether something could not be stored at all, as at the end of a daemon whose disk is full. */
  get hasLost(): boolean {
    return this.#hasLost
  }
}

/** The events of one input are stored together: a crash in between would make some of them twice. Fragments follow them. */
function* runs(output: readonly Emission[]): Generator<EventDraft[] | DeltaDraft> {
  const events = output.filter((item): item is EventDraft => !isDelta(item))
  if (events.length > 0) yield events
  yield* output.filter(isDelta)
}

function isDelta(output: Emission): output is DeltaDraft {
  return (
    output.type === 'text.delta' || output.type === 'thinking.delta' || output.type === 'tool.input.delta'
  )
}
