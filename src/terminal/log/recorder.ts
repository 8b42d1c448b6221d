/**
 * Records terminal sessions in the log, as sessions of kind `observed`: every line exactly once and in order, across
 * restarts, and also findings without a line.
 */

import { type AppendOptions, AppendRefused, type Journal } from '../../journal/journal.js'
import type { Clock } from '../../lib/clock.js'
import type { IdSource } from '../../lib/id.js'
import type { Sequencer } from '../../lib/sequencer.js'
import type { Database } from '../../lib/sqlite/driver.js'
import type { EventDraft } from '../../protocol/event/event.js'
import type { InboxRequest } from '../../protocol/request.js'
import type { Store } from '../../store/port.js'
import type { AppliedLine } from '../monitor/lifecycle-session-monitor.js'
import type { SessionSnapshot } from '../monitor/monitor.js'
import type { Conversation } from '../transcript/conversation.js'
import type { TranscriptImporter } from '../transcript/importer.js'
import { LogCursor } from './cursor.js'
import { type HeardLine, HOOKS_ALONE, hear, readBefore } from './heard-line.js'
import type { SessionBook } from './session-book.js'
import { draftsOfFinding, draftsOfLine, type Logged, type NewId } from './to-events.js'

export interface ObserverDeps {
  journal: Journal
  store: Store
  clock: Clock
  ids: IdSource
  /** Database of the cursor. */
  database: Database
  write?<Result>(work: () => Result): Result
  book: SessionBook
  /** Serialises the work of each session. */
  sequencer: Sequencer
  /** Absent if transcripts are not kept. */
  transcripts?: Pick<TranscriptImporter, 'open'>
  /** The result of a call according to the session's transcript, and its time. */
  answerOf(sessionId: string, toolName: string, input: unknown): { allowed: boolean; at: number } | null
  onFault(error: unknown): void
}

const SCOPE = 'lifecycle'
const ATTEMPTS = 5
const RETRY_MS = 1_000
/**
 * How long recorded lines are remembered for deduplication. An older line that is read again, in a copy of the stream,
 * is recognised by its time: it is not later than the last event of its session.
 */
const REMEMBERED_MS = 7 * 86_400_000
const FORGET_EVERY_MS = 3_600_000

export class TerminalRecorder {
  readonly #deps: ObserverDeps
  readonly #cursor: LogCursor
  /** Each session as last recorded in the log. */
  readonly #told = new Map<string, SessionSnapshot>()
  #forgotAt = 0
  #isClosed = false

  constructor(deps: ObserverDeps) {
    this.#deps = deps
    this.#cursor = new LogCursor(deps)
  }

  /** The last row that is in the log with all rows before it; null if nothing was ever recorded. */
  get recordedThrough(): number | null {
    return this.#cursor.seq
  }

  /** Our id of a session; null if it is not in the log. */
  idOf(sessionId: string): string | null {
    return this.#deps.book.idOf(sessionId)
  }

  /**
   * Resolves when the lines up to row `through` are in the log and the cursor is stored. A crash between the two is
   * harmless: the lines are read again and deduplicated by their keys.
   */
  async record(lines: readonly AppliedLine[], through: number): Promise<void> {
    const recorded = this.#cursor.seq ?? 0
    const fresh: AppliedLine[] = []
    for (const line of lines) {
      if (line.seq <= recorded) this.#told.set(line.event.sessionId, line.after)
      else fresh.push(line)
    }
    if (fresh.length === 0) return
    await Promise.all(
      fresh.map((line) =>
        this.#deps.sequencer.run(line.event.sessionId, () => this.#insist(() => this.#recordLine(line))),
      ),
    )
    if (this.#isClosed) return
    await this.#insist(async () => this.#cursor.save(through))
    await this.#forgetOld()
  }

  async #forgetOld(): Promise<void> {
    const { store, clock, onFault } = this.#deps
    if (clock.now() - this.#forgotAt < FORGET_EVERY_MS) return
    this.#forgotAt = clock.now()
    await store.forgetKeys(SCOPE, this.#rememberedFrom()).catch(onFault)
  }

  #rememberedFrom(): string {
    return new Date(this.#deps.clock.now() - REMEMBERED_MS).toISOString()
  }

  /** Retries until it succeeds, so that no line is left out while the store fails. */
  async #insist(work: () => Promise<void>): Promise<void> {
    while (!this.#isClosed) {
      try {
        return await work()
      } catch (error) {
        if (this.#isClosed) return
        this.#deps.onFault(error)
        await new Promise<void>((resolve) => this.#deps.clock.after(RETRY_MS, resolve))
      }
    }
  }

  async #recordLine({ event, before, after }: AppliedLine): Promise<void> {
    if (before === after) return // A duplicate.
    const { id, sessionId } = event
    const { book, clock } = this.#deps
    const at = timeOf(event.occurredAtIso)
    const found = await book.find(sessionId)
    if (at < this.#rememberedFrom() && at <= book.leftAt(sessionId)) return
    const conversation = this.#conversationOf(after)
    if (conversation) await readBefore(conversation, event, clock.now())
    const ours = found ?? (await book.find(sessionId)) ?? (await this.#create(after, at))
    // Keys start with the time, so that old ones can be deleted.
    const once = { scope: SCOPE, key: `${at} ${id}`, value: ours }
    const options = { at, once, ...(conversation && { alongside: () => conversation.save() }) }
    let isStored = false
    try {
      isStored = await this.#append(ours, sessionId, options, (logged) => {
        conversation?.settle(false)
        const heard = conversation ? hear(conversation, event, logged.view) : HOOKS_ALONE
        return draftsOfLine(event, { before, after }, { ...logged, heard }, this.#newId)
      })
    } finally {
      conversation?.settle(isStored)
    }
    this.#told.set(sessionId, after)
  }

  #conversationOf({ sessionId, transcriptPath, cwd, projectPath }: SessionSnapshot): Conversation | null {
    const place = { path: transcriptPath, cwd: cwd ?? projectPath }
    return this.#deps.transcripts?.open(sessionId, place) ?? null
  }

  #create({ sessionId, cwd, projectPath, title, model }: SessionSnapshot, at: string): Promise<string> {
    return this.#deps.book.create(sessionId, { cwd: cwd ?? projectPath ?? '', title, model }, at)
  }

  /** Records changes that were found without a line. */
  found(changed: readonly SessionSnapshot[]): void {
    for (const after of changed) {
      this.#deps.sequencer
        .run(after.sessionId, () => this.#recordFinding(after))
        .catch((error: unknown) => this.#deps.onFault(error))
    }
  }

  async #recordFinding(after: SessionSnapshot): Promise<void> {
    const { sessionId } = after
    const before = this.#told.get(sessionId) ?? null
    const ours = await this.#deps.book.find(sessionId)
    if (ours === null || before === after || this.#isClosed) return
    const conversation = this.#conversationOf(after)
    while ((await conversation?.read()) === true);
    const isEnd = after.state === 'completed'
    const heard: HeardLine = { ...HOOKS_ALONE, hasTranscript: (conversation?.place ?? null) !== null }
    const options = conversation && isEnd ? { alongside: () => conversation.save() } : {}
    let isStored = false
    try {
      isStored = await this.#append(ours, sessionId, options, (logged) => {
        conversation?.settle(false)
        if (isEnd) conversation?.end(Date.parse(after.lastActivityAt) || 0)
        return draftsOfFinding({ before, after }, { ...logged, heard }, this.#newId)
      })
    } finally {
      conversation?.settle(isStored)
    }
    this.#told.set(sessionId, after)
  }

  readonly #newId: NewId = (prefix) => this.#deps.ids.next(prefix)

  /**
   * Returns whether it was stored now. Race: another client may answer a request while it is being resolved. Then
   * decides again with the new state.
   */
  async #append(
    ours: string,
    sessionId: string,
    options: AppendOptions,
    decide: (logged: Omit<Logged, 'heard'>) => EventDraft[],
  ): Promise<boolean> {
    const { journal, store } = this.#deps
    for (let attempt = 1; ; attempt++) {
      const view = await journal.session(ours)
      if (!view) throw new Error(`The session ${ours} is not in the store.`)
      const isAsked = view.pendingRequests.length > 0
      const pending = isAsked ? await store.requests({ sessionId: ours, state: 'pending' }) : []
      const drafts = decide({ view, pending, answerTo: (request) => this.#answerTo(sessionId, request) })
      // A line without drafts still uses its key: read again, it would be applied to a later state.
      if (drafts.length === 0 && !options.once) return false
      try {
        await journal.append(ours, drafts, options)
        return true
      } catch (error) {
        if (!(error instanceof AppendRefused)) throw error
        if (error.why.kind === 'key_used') return false
        if (error.why.kind !== 'request_not_pending' || attempt === ATTEMPTS) throw error
      }
    }
  }

  /** Ignores the result of an earlier identical call. */
  #answerTo(sessionId: string, { toolName, input, requestedAt }: InboxRequest): 'allow' | 'deny' | null {
    const found = this.#deps.answerOf(sessionId, toolName, input)
    if (!found || found.at < Date.parse(requestedAt)) return null
    return found.allowed ? 'allow' : 'deny'
  }

  /** Resolves when everything passed in so far is in the log. */
  idle(): Promise<void> {
    return this.#deps.sequencer.idle()
  }

  /** Waits for running work. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#deps.sequencer.idle()
  }
}

/** Normalises the time format, which other producers may write differently. */
function timeOf(text: string): string {
  const time = Date.parse(text)
  return new Date(Number.isNaN(time) ? 0 : time).toISOString()
}
