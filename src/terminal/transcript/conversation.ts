/**
 * Reads the transcript of one session, with those of its subagents, and appends what it finds to the log. The places in
 * the files, the marks of the lines and the events are one commit. Its methods must not run at the same time.
 */

import { AppendRefused, type Journal } from '../../journal/journal.js'
import type { IdSource } from '../../lib/id.js'
import { asText } from '../../lib/read-json.js'
import { raiseNotice } from '../../protocol/event/notice.js'
import { type Reason, reason, saying } from '../../protocol/reason/reason.js'
import { isStorageProblem } from '../../protocol/storage.js'
import type { SessionBook } from '../log/session-book.js'
import { Batch } from './batch.js'
import { isOfTerminal } from './head.js'
import { placeAt, type TranscriptPlace } from './place.js'
import type { LongLine, SourceItem } from './source-file.js'
import { earliest, fileOf, type Source, Sources } from './sources.js'
import { isObserved, newConversationState, newFileState, type Translation } from './state.js'
import type { StoredConversation, TranscriptTable } from './table.js'
import { cancelCalls, endAs, takeCall } from './to-call-events.js'
import { translateLine } from './to-events.js'
import { endAgent, flushUsage, startAgent } from './to-figure-events.js'
import { closeOwnTurn } from './to-turn-events.js'

export interface ConversationDeps {
  journal: Journal
  ids: IdSource
  book: SessionBook
  table: TranscriptTable
  write<Result>(work: () => Result): Result
  /** The folder of the transcripts; null while there is none. */
  root(): string | null
}

export interface ReadOptions {
  /** Only lines up to this time, in milliseconds since 1970. */
  until?: number
  /** The session had ended before it was seen. */
  isPast?: boolean
  /** Stops after about this time. */
  budgetMs?: number
}

const MAX_EVENTS = 400

export class Conversation {
  readonly sessionId: string
  readonly #deps: ConversationDeps
  readonly #sources: Sources
  /** It waits for those that it is a copy of: nothing is read. */
  isHeld = false
  /** Nothing of it was ever read or heard. */
  #isNew: boolean
  #stored: StoredConversation
  /** As last committed. */
  #committed: StoredConversation
  /** One line at a time after a failure. The second one finds the line that cannot be stored, and skips it. */
  #failures = 0

  constructor(deps: ConversationDeps, sessionId: string, project: string | null, isPast: boolean) {
    this.#deps = deps
    this.sessionId = sessionId
    this.#sources = new Sources(() => deps.root())
    const known = deps.table.load(sessionId)
    this.#isNew = known === null
    this.#stored = known ?? {
      project,
      ours: null,
      conversation: newConversationState(isPast),
      main: newFileState(),
      agents: new Map(),
    }
    this.#stored.project ??= project
    this.#committed = structuredClone(this.#stored)
  }

  get state(): StoredConversation['conversation'] {
    return this.#stored.conversation
  }

  /** It is being imported: also if a restart came in between. */
  get isUnfinished(): boolean {
    const { ours, conversation } = this.#stored
    return conversation.isHistory && (conversation.isOpen || ours === null)
  }

  /** How far the session's own file is read. */
  get offset(): number {
    return this.#committed.main.offset
  }

  /** A hook, or a listing, has named the project. */
  locate(project: string): void {
    this.#stored.project ??= project
  }

  get place(): TranscriptPlace | null {
    const { project } = this.#stored
    const root = this.#deps.root()
    return project === null || root === null ? null : placeAt(root, project, this.sessionId)
  }

  /** Reads some lines and stores their events. Returns whether there are more. */
  async read(options: ReadOptions = {}): Promise<boolean> {
    const { place } = this
    if (!place || this.isHeld) return false
    const batch = await this.#begin()
    const hasMore = this.#fill(batch, place, options)
    await this.#commit(batch, options.isPast === true)
    return hasMore
  }

  /** Records the usage of the last messages, whose turn has ended. */
  async flush(): Promise<void> {
    const batch = await this.#begin()
    for (const source of this.#sources.list(null)) flushUsage(this.#translation(batch, source), this.state.at)
    await this.#commit(batch, false)
  }

  /** Ends a session that nothing else ends, and everything that is open in it. */
  async finish(isPast: boolean): Promise<void> {
    const batch = await this.#begin()
    const { conversation, main } = this.#stored
    const { isFailed, isFinal, agents, at } = conversation
    const to = this.#translation(batch, null)
    const isDone = isFinal || main.calls.length === 0
    closeOwnTurn(to, isFailed ? 'failed' : isDone ? 'completed' : 'interrupted', at)
    for (const source of this.#sources.list(this.place)) {
      flushUsage(this.#translation(batch, source), at)
      cancelCalls(this.#translation(batch, source), at)
    }
    for (const [agentId, state] of agents) if (state === 'open') endAgent(to, agentId, 'interrupted', at)
    if (this.#stored.ours !== null && !batch.known.isEnded)
      batch.add(
        { type: 'session.ended', data: { outcome: 'completed', ...saying(reason('end.transcript')) } },
        at,
      )
    await this.#commit(batch, isPast)
  }

  /** Writes what a hook has changed in the state. For the commit of its events. */
  save(): void {
    this.#isNew = false
    this.#deps.table.save(this.sessionId, this.#stored, [])
  }

  /** After an append of a hook: its changes count, or nothing of it has happened. */
  settle(isStored: boolean): void {
    if (isStored) this.#committed = structuredClone(this.#stored)
    else this.#restore()
  }

  /** A hook has ended the session, and with it everything that was open. */
  end(at: number): void {
    const { conversation, main, agents } = this.#stored
    for (const agent of conversation.agents) agent[1] = 'ended'
    conversation.isOpen = false
    conversation.ownTurn = null
    conversation.turnEndedAt = Math.max(at, conversation.turnEndedAt)
    main.calls = []
    for (const file of agents.values()) file.calls = []
  }

  async #begin(): Promise<Batch> {
    const { book, journal } = this.#deps
    this.#stored.ours ??= await book.find(this.sessionId)
    const view = this.#stored.ours === null ? null : await journal.session(this.#stored.ours)
    if (this.#stored.ours !== null && !view) {
      // It was deleted: what comes now makes another session.
      book.forget(this.sessionId)
      this.#stored.ours = null
    }
    // Hooks of an older version have recorded it: what they have recorded is not recorded again.
    if (this.#isNew && view && view.lastPrompt !== null)
      for (const source of this.#sources.list(this.place)) source.file.skip(fileOf(this.#stored, source))
    this.#isNew = false
    return new Batch(view)
  }

  #fill(
    batch: Batch,
    place: TranscriptPlace,
    { until = Number.POSITIVE_INFINITY, budgetMs = 8 }: ReadOptions,
  ) {
    const start = performance.now()
    const sources = this.#sources.list(place)
    const most = this.#failures > 0 ? 1 : MAX_EVENTS
    const exhausted = new Set<Source>()
    for (;;) {
      if (batch.drafts.length >= most || performance.now() - start > budgetMs) return true
      const next = earliest(sources, this.#stored, exhausted)
      if (next === 'skipped') {
        for (const { agentId } of sources) batch.touched.add(agentId)
        continue
      }
      if (next === null || next.item.at > until) return false
      const { source, item } = next
      this.#apply(batch, source, item)
      source.file.take(fileOf(this.#stored, source))
      batch.touched.add(source.agentId)
    }
  }

  #apply(batch: Batch, source: Source, { line, long, at }: SourceItem): void {
    const to = this.#translation(batch, source)
    if (long) return noteLong(to, source, long)
    if (!line || batch.marks.has(line.mark) || this.#deps.table.hasMark(line.mark)) return
    batch.marks.add(line.mark)
    batch.cwd ??= asText(line.fields['cwd'])
    if (this.#failures > 1) {
      this.#failures = 0
      return notice(to, reason('notice.transcript-line', { file: source.file.path }), at)
    }
    if (source.facts) startAgent(to, source.agentId, source.facts, at)
    translateLine(to, line)
  }

  #translation(batch: Batch, source: Source | null): Translation {
    const toolUseId = source?.facts?.toolUseId ?? null
    const agent = source && source.agentId !== '' ? { agentId: source.agentId } : {}
    return {
      conversation: this.#stored.conversation,
      file: source ? fileOf(this.#stored, source) : this.#stored.main,
      known: batch.known,
      speaker: { ...agent, ...(toolUseId !== null && { parentToolUseId: toolUseId }) },
      newId: (prefix) => this.#deps.ids.next(prefix),
      emit: (draft, at) => batch.add(draft, at),
    }
  }

  async #commit(batch: Batch, isPast: boolean): Promise<void> {
    const { table, write } = this.#deps
    if (batch.drafts.length > 0) this.#holdTitle(batch)
    const save = () => {
      table.addMarks([...batch.marks])
      table.save(this.sessionId, this.#stored, batch.touched)
    }
    try {
      if (batch.drafts.length > 0) await this.#append(batch, isPast, save)
      else if (batch.touched.size > 0) write(() => table.inTransaction(save))
      else return
      this.#committed = structuredClone(this.#stored)
      if (batch.touched.size > 0) this.#failures = Math.max(0, this.#failures - 1)
    } catch (error) {
      this.#restore()
      // A refusal because of a race: with the new state it is decided again.
      if (!isStorageProblem(error) && !(error instanceof AppendRefused)) this.#failures += 1
      throw error
    }
  }

  /** Titles and long lines create no session: they are in the files of other programs too. A title waits for more. */
  #holdTitle(batch: Batch): void {
    const { ours, conversation } = this.#stored
    if (ours === null && !batch.hasContent && !isOfTerminal(this.place?.path)) {
      conversation.title = batch.drop() ?? conversation.title ?? null
    } else if (typeof conversation.title === 'string') {
      if (batch.known.title === null) batch.addTitleFirst(conversation.title)
      conversation.title = null
    }
  }

  async #append(batch: Batch, isPast: boolean, alongside: () => void): Promise<void> {
    const { journal, book } = this.#deps
    const { conversation } = this.#stored
    conversation.isOpen = batch.drafts.at(-1)?.type !== 'session.ended'
    const times = batch.timesFrom(this.place?.modifiedAt ?? 0)
    const [first = ''] = times
    const facts = { cwd: batch.cwd ?? '', title: null, model: batch.known.model }
    const ours = (this.#stored.ours ??= await book.create(this.sessionId, facts, first, isPast))
    // Something new in a session of the past: it is listed with the others again.
    if (conversation.isHistory && !isPast) {
      conversation.isHistory = false
      batch.drafts.unshift({ type: 'session.changed', data: { isArchived: false } })
      times.unshift(first)
    }
    const options = { at: times, alongside, isRepeatable: true as const, ...(isPast && { isPast }) }
    await journal.append(ours, batch.drafts, options)
  }

  #restore(): void {
    this.#stored = structuredClone(this.#committed)
    this.#sources.reset()
  }
}

function notice(to: Translation, why: Reason, at: number, beginning?: string): void {
  const draft = raiseNotice('warning', 'transcript', why, beginning === undefined ? undefined : { beginning })
  if (isObserved(draft)) to.emit(draft, at)
}

/** Kept truncated: its beginning, and its place. */
function noteLong(to: Translation, { file }: Source, { offset, length, head }: LongLine): void {
  const { at } = to.conversation
  const place = { file: file.path, offset: String(offset), megabytes: String(Math.ceil(length / 1e6)) }
  notice(to, reason('notice.transcript-long', place), at, head)
  const id = /"tool_use_id":"([\w.:-]{1,200})"/.exec(head)?.[1]
  const call = id === undefined ? undefined : takeCall(to, id)
  if (id !== undefined && call) endAs(to, id, call, { outcome: 'completed', result: `${head}…`, at })
}
