/**
 * Drives sessions: passes messages to their processes, executes commands, and guarantees that every end is
 * recorded.
 */

import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Bus } from '../bus/port.js'
import { AppendRefused } from '../journal/journal.js'
import { abortable } from '../lib/abortable.js'
import { uuidOf } from '../lib/id.js'
import { redactJsonInSlices } from '../lib/redact/redact-json.js'
import { Sequencer } from '../lib/sequencer.js'
import type { LiveChange, RunnerCommand } from '../protocol/api-body.js'
import { HubError } from '../protocol/error.js'
import type { DataOf, EventDraft, SessionEvent } from '../protocol/event/event.js'
import { reason as codedReason } from '../protocol/reason/reason.js'
import type { QueuedMessage, Session } from '../protocol/session.js'
import type { Actor, StopReason } from '../protocol/value.js'
import { Cancellations } from './cancellation.js'
import {
  findConversation,
  messagesIn,
  newestConversation,
  saysNoConversation,
} from './claude/conversation.js'
import { CONTROL_MS } from './claude/limited.js'
import { Orphans } from './claude/orphans.js'
import { Fleet, type FleetDeps } from './fleet.js'
import { lostConversation } from './launch.js'
import type { LiveSession } from './live-session.js'
import type { OutgoingMessage } from './outbox.js'
import { answerOf, giveUpParked } from './recovery/parked-request.js'
import { StartupRecovery } from './recovery/startup-recovery.js'
import { MAX_STARTS, RestartLimit } from './restart-limit.js'
import type { Ending } from './session-ending.js'
import { Starts } from './starts.js'

/** Stop reasons of turns that another process can resume. */
const CUT_OFF: ReadonlySet<string> = new Set<StopReason>(['crashed', 'daemon_restarted'])

const INTERRUPT_MS = 5_000
/** How long a process that has said nothing yet may take to answer an interrupt before it is killed. */
const START_INTERRUPT_MS = 500
/** How many messages a notice names. */
const MAX_LISTED = 10
const INTERRUPTED = 'Interrupted before it was read.'

export interface RunnerDeps extends Omit<FleetDeps, 'onEnded' | 'isCancelled' | 'orphans'> {
  bus: Bus
  /** How a turn that was cut off by the end of the daemon is resumed: automatically, or after asking the user. */
  onRestart: 'continue' | 'ask'
}

export interface Runner {
  /**
   * Kills processes left over from a previous run, records how they ended, and resumes queued work. With many
   * sessions it resolves before the last is recovered: wait for `recovered` before using one.
   */
  start(): Promise<void>
  /** Resolves when the log of a session is in order. Rejects while nothing can be stored. */
  recovered(sessionId: string): Promise<void>
  /** The same for sessions that are only looked at. Resolves with false if none had to be waited for, or nothing can be stored. */
  recoveredAll(sessionIds: readonly string[]): Promise<boolean>
  /** Ends every process. Sessions can be continued in another run. */
  close(): Promise<void>
}

export function createRunner(deps: RunnerDeps): Runner {
  return new FleetRunner(deps)
}

class FleetRunner implements Runner {
  readonly #deps: RunnerDeps
  readonly #fleet: Fleet
  /** Serialises the work of each session. */
  readonly #sequencer = new Sequencer()
  /** Starts in progress. A command that must not wait for a start cancels it first. */
  readonly #starts = new Starts()
  readonly #cancellations: Cancellations
  readonly #restarts = new RestartLimit()
  readonly #answerStarts = new RestartLimit()
  /** Sessions that wait before their next start, with what cancels the wait. */
  readonly #pauses = new Map<string, () => void>()
  readonly #recovery: StartupRecovery
  readonly #orphans: Orphans
  #leave: (() => void)[] = []
  #isClosed = false

  constructor(deps: RunnerDeps) {
    this.#deps = deps
    this.#orphans = new Orphans(deps)
    this.#recovery = new StartupRecovery({
      ...deps,
      orphans: this.#orphans,
      behind: (sessionId, work) => this.#sequencer.run(sessionId, work),
      hasStarted: async (sessionId) =>
        this.#fleet.get(sessionId) !== null ||
        ((await this.#drivable(sessionId))?.condition ?? null) === null,
      continueTurn: (sessionId) => this.#goOn(sessionId),
      deliver: (sessionId) => this.#deliverRest(sessionId),
    })
    this.#fleet = new Fleet({
      ...deps,
      orphans: this.#orphans,
      isCancelled: (messageId) => this.#cancellations.isCancelled(messageId),
      onEnded: (live, ending) => this.#sequencer.run(live.id, () => this.#takeOver(live, ending)),
    })
    this.#cancellations = new Cancellations({
      journal: deps.journal,
      live: (sessionId) => this.#fleet.get(sessionId),
      behind: (sessionId, work) => void this.#sequencer.run(sessionId, async () => work()),
      deliver: (sessionId) => this.#deliver(sessionId),
    })
  }

  async start(): Promise<void> {
    const { bus, journal } = this.#deps
    this.#orphans.kill()
    const subscription = journal.subscribe({
      deliver: (items) => {
        for (const { event } of items) if ('seq' in event) this.#follow(event)
      },
    })
    await this.#recovery.prepare()
    this.#leave = [() => subscription.close(), bus.serve((command) => this.#handle(command))]
    await this.#recovery.start()
  }

  recovered(sessionId: string): Promise<void> {
    return this.#recovery.recovered(sessionId)
  }

  recoveredAll(sessionIds: readonly string[]): Promise<boolean> {
    return this.#recovery.recoveredAll(sessionIds)
  }

  #follow({ sessionId, type, data }: SessionEvent): void {
    if (type === 'message.queued') this.#deliver(sessionId)
    if (type === 'message.cancelled') this.#endNeedless(sessionId).catch(this.#deps.onFault)
    if ((type === 'permission.resolved' || type === 'question.resolved') && data.by === 'person')
      this.#answered(sessionId, data.requestId)
    if (type === 'session.changed' && data.permissionMode === 'bypassPermissions')
      this.#noteFreed(sessionId).catch(this.#deps.onFault)
    if (type === 'session.changed' && data.externalId !== undefined) {
      const live = this.#fleet.get(sessionId)
      if (live) live.externalId = data.externalId
    }
    if (type === 'turn.ended' && !CUT_OFF.has(data.stopReason)) {
      this.#restarts.forget(sessionId)
      this.#answerStarts.forget(sessionId)
      this.#recovery.wentWell(sessionId)
      this.#forgetParked(sessionId)
    }
  }

  /** Messages that were queued while calls were asked about run without asking now: the admin who chose the mode must see which. */
  async #noteFreed(sessionId: string): Promise<void> {
    const { queue = [] } = (await this.#drivable(sessionId)) ?? {}
    if (queue.length === 0) return
    const listed = queue.map(({ messageId, from }) => `${messageId} from ${from.who}`)
    const shown = listed.slice(0, MAX_LISTED).join(', ')
    const more = listed.length > MAX_LISTED ? ` and ${listed.length - MAX_LISTED} more` : ''
    const text = `The session changed to bypassPermissions. Messages that wait will run without asking: ${shown}${more}. Cancel those that should not.`
    const details = { messageIds: queue.map(({ messageId }) => messageId) }
    const data = { level: 'warning', topic: 'queued_before_bypass', text, details } as const
    await this.#appendEach(sessionId, [{ type: 'notice.raised', data }])
  }

  /** An answer to a request whose process is gone: the turn is resumed with it. */
  #answered(sessionId: string, requestId: string): void {
    this.#sequencer
      .run(sessionId, async () => {
        const session = await this.#drivable(sessionId)
        if (session?.parkedRequests.includes(requestId) && !this.#fleet.get(sessionId)) this.#goOn(sessionId)
      })
      .catch(this.#deps.onFault)
  }

  /** The turn that was cut off is resumed, then the queued messages. */
  #goOn(sessionId: string): void {
    this.#continue(sessionId).catch((error: unknown) => this.#fail(sessionId, error))
    this.#deliver(sessionId)
  }

  /** Hands over what waits, unless the session waits for an answer itself: then its turn comes first. */
  #deliverRest(sessionId: string): void {
    this.#sequencer
      .run(sessionId, async () => {
        const session = await this.#drivable(sessionId)
        if (session?.pendingRequests.length === 0) this.#deliver(sessionId)
      })
      .catch(this.#deps.onFault)
  }

  /** A turn has come to its end without the calls that were waited for. */
  #forgetParked(sessionId: string): void {
    this.#sequencer
      .run(sessionId, () => this.#deps.inbox.lapse(sessionId, 'The agent has not asked for it again.'))
      .catch(this.#deps.onFault)
  }

  /** Hands everything that waits to the session's process, in its order; the process is started if there is none. */
  #deliver(sessionId: string): void {
    this.#sequencer
      .run(sessionId, () => this.#starts.deliver(sessionId, (signal) => this.#handOver(sessionId, signal)))
      .catch((error: unknown) => this.#fail(sessionId, error))
  }

  /** With the last message cancelled, nothing waits for a slot any more. */
  async #endNeedless(sessionId: string): Promise<void> {
    const session = await this.#deps.journal.session(sessionId)
    if (session?.queue.length === 0 && session.condition === 'waiting_for_slot') {
      this.#starts.endDelivery(sessionId)
      // One that was queued in this moment is delivered all the same.
      this.#deliver(sessionId)
    }
  }

  async #handOver(sessionId: string, signal: AbortSignal): Promise<void> {
    const before = await this.#drivable(sessionId)
    // A pause between two starts holds for messages that come meanwhile too.
    if (!before || before.queue.length === 0 || this.#pauses.has(sessionId)) return
    await this.#fleet.refresh(sessionId)
    const hasRead = !this.#fleet.get(sessionId) && (await this.#noteRead(before, signal))
    const live = await this.#fleet.ensure(sessionId, hasRead ? 'continue' : 'message', signal)
    // Race: during the start messages may have been cancelled, which are not sent, or added, which are.
    const after = await this.#drivable(sessionId)
    if (!live || !after) return
    for (const message of after.queue) {
      const whole = await this.#withContent(sessionId, message)
      signal.throwIfAborted()
      await abortable(live.input.send(whole), signal)
    }
    this.#fleet.recheck(sessionId)
  }

  /**
   * Deduplicates: a message that a previous process wrote to the transcript was read, even if that was never
   * reported. The CLI (2.1.325) ignores it when it is sent again, so the turn that it began is continued
   * instead. Resolves with whether there are any.
   */
  async #noteRead(
    { id, queue, claudeSessionId, conversation }: Session,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { inbox, configFolder } = this.#deps
    await abortable(inbox.lapse(id, 'The session went on with another message.'), signal)
    const find = async () => {
      const found = await findConversation(configFolder, claudeSessionId ?? conversation.id)
      if (!found) return []
      const ids = queue.map(({ messageId }) => messageId)
      const written = await messagesIn(found.path, ids.map(uuidOf))
      return ids.filter((messageId) => written.has(uuidOf(messageId)))
    }
    const read = await abortable(find(), signal)
    await this.#appendEach(
      id,
      read.map((messageId) => ({ type: 'message.delivered', data: { messageId } })),
    )
    return read.length > 0
  }

  /** Each on its own: one that is refused, as the message has ended meanwhile, does not keep the others from the log. */
  async #appendEach(sessionId: string, drafts: readonly EventDraft[]): Promise<void> {
    const { journal } = this.#deps
    await Promise.all(
      drafts.map((draft) =>
        journal.append(sessionId, [draft]).catch((error: unknown) => {
          if (!(error instanceof AppendRefused)) throw error
        }),
      ),
    )
  }

  /** The snapshot holds the beginning of the text; the rest and pictures are read from the log. */
  async #withContent(sessionId: string, message: QueuedMessage): Promise<OutgoingMessage> {
    if (!message.hasContent) return message
    const [stored] = await this.#deps.store.readSession(sessionId, { after: message.seq - 1, limit: 1 })
    if (stored?.event.type === 'message.queued' && stored.event.data.messageId === message.messageId)
      return stored.event.data
    throw new HubError('storage_damaged', `Message ${message.messageId} is damaged in the database.`)
  }

  /** The session as it is now, if it is ours to drive and has not ended. */
  async #drivable(sessionId: string): Promise<Session | null> {
    const session = await this.#deps.journal.session(sessionId)
    return session?.kind === 'managed' && session.state !== 'ended' && !this.#isClosed ? session : null
  }

  /** After a crash, what was not read goes to another process, unless this one died before it could begin. */
  async #takeOver(live: LiveSession, ending: Ending): Promise<void> {
    const session = await this.#drivable(live.id)
    if (!session || ending.kind === 'stopped') return
    await giveUpParked(live.id, this.#deps)
    if (ending.kind === 'parked') return this.#deliverRest(live.id)
    const after = await this.#drivable(live.id)
    if (after && this.#mayGoOn(after)) return this.#goOn(live.id)
    if (ending.isUseful || ending.isHung) return this.#restart(session, ending.error)
    if (saysNoConversation(`${ending.error} ${ending.lastWords}`) && isReplaceable(session))
      return this.#replaceConversation(session)
    await this.#fail(
      live.id,
      new Error([ending.error, ending.lastWords].filter((text) => text !== '').join('\n')),
    )
  }

  /** Race: the answer came when the process was gone. Once for each: a process that crashes over it is not tried for ever. */
  #mayGoOn(session: Session): boolean {
    const requestId = answerOf(session)
    return requestId !== undefined && this.#answerStarts.next(session.id, requestId)?.pauseMs === 0
  }

  /** A disk without room leaves a record that the CLI cannot read. The session must not be lost with it. */
  async #replaceConversation({ id, claudeSessionId, conversation }: Session): Promise<void> {
    const { code, message } = lostConversation(claudeSessionId ?? conversation.id)
    await this.#deps.inbox.withdraw(id, codedReason('request.record-lost'))
    await this.#deps.journal.append(id, [
      { type: 'session.changed', data: { claudeSessionId: randomUUID(), contextTokens: null } },
      { type: 'error.raised', data: { code, message } },
    ])
    this.#deliverRest(id)
  }

  /** Hands what was not read to another process, after a pause that grows with each that ends too early. */
  async #restart({ id, queue }: Session, error: string): Promise<void> {
    const { clock, journal } = this.#deps
    const [first] = queue
    if (!first) return this.#deliverRest(id)
    const next = this.#restarts.next(id, first.messageId)
    if (next === null) {
      const reason = `${error} It was started ${MAX_STARTS} times without reading the message.`
      return this.#fail(id, new HubError('claude_failed', reason))
    }
    const { pauseMs, start } = next
    if (pauseMs === 0) return this.#deliverRest(id)
    const text = `${error} Trying again in ${pauseMs / 1000} s (${start} of ${MAX_STARTS}).`
    await journal.append(id, [
      { type: 'session.changed', data: { condition: 'retrying' } },
      { type: 'notice.raised', data: { level: 'warning', topic: 'retry', text } },
    ])
    this.#pauses.set(
      id,
      clock.after(pauseMs, () => {
        this.#pauses.delete(id)
        journal
          .append(id, [{ type: 'session.changed', data: { condition: null } }])
          .then(() => this.#deliverRest(id))
          .catch(this.#deps.onFault)
      }),
    )
  }

  /** Cancels everything that waits. */
  async #cancelQueue({ id, queue, condition }: Session, reason: string): Promise<void> {
    // Race: the session may be deleted meanwhile, which ends them as well.
    if (condition !== null)
      await this.#appendEach(id, [{ type: 'session.changed', data: { condition: null } }])
    await Promise.all(queue.map(({ messageId }) => this.#cancellations.cancel(id, messageId, reason)))
  }

  #endPause(sessionId: string): void {
    this.#pauses.get(sessionId)?.()
    this.#pauses.delete(sessionId)
    this.#restarts.forget(sessionId)
  }

  /** No process could be started: what waited for one is cancelled, with the reason. */
  async #fail(sessionId: string, error: unknown): Promise<void> {
    const { journal, onFault } = this.#deps
    const reason = error instanceof Error ? error.message : String(error)
    const data: DataOf<'error.raised'> =
      error instanceof HubError
        ? { code: error.code, message: error.message }
        : { code: 'claude_failed', message: `Claude Code could not be started: ${reason}` }
    try {
      const session = await journal.session(sessionId)
      if (!session) return
      await journal.append(sessionId, [{ type: 'error.raised', data }])
      await this.#cancelQueue(session, 'Claude Code could not be started.')
    } catch (fault) {
      onFault(fault)
    }
  }

  #handle(command: RunnerCommand): Promise<unknown> {
    if (command.type === 'conversation.find') return this.#findConversation(command)
    if (command.type === 'workspace.distrusted') return this.#distrust(command.path)
    const { sessionId } = command
    switch (command.type) {
      case 'session.interrupt':
        return this.#interrupt(sessionId)
      case 'session.stop':
        return this.#instead(sessionId, () => this.#stop(sessionId, command))
      case 'session.park':
        return this.#park(sessionId, command.onlyIdle === true)
      case 'session.continue':
        return this.#continueSoon(sessionId)
      case 'session.configure':
        return this.#configure(sessionId, command.change, command.by)
      case 'session.cancel_message':
        return this.#cancellations.cancel(sessionId, command.messageId, command.reason)
      case 'session.stop_task':
        return this.#withLive(sessionId, (live) => live.claude.stopTask(command.taskId))
      case 'session.rewind':
        return this.#withLive(sessionId, (live) =>
          live.rewind(command.to, command.dryRun === true, command.by),
        )
      case 'session.set_mcp_servers':
        return this.#withLive(sessionId, (live) => live.claude.setMcpServers(command.servers))
      case 'session.inspect':
        return this.#withLive(sessionId, async (live) =>
          this.#withoutSecrets(await live.claude.inspect(command.what)),
        )
    }
  }

  /** An error of a server may repeat its address or its arguments. */
  async #withoutSecrets(value: unknown): Promise<unknown> {
    return redactJsonInSlices(value, this.#deps.secrets.redactEchoInSlices)
  }

  async #findConversation(
    wanted: { id: string } | { cwd: string },
  ): Promise<{ id: string; cwd: string } | null> {
    const { configFolder } = this.#deps
    const found =
      'id' in wanted
        ? await findConversation(configFolder, wanted.id)
        : await newestConversation(configFolder, wanted.cwd)
    return found && { id: found.id, cwd: found.cwd }
  }

  /**
   * Runs `work` next, in place of a start that may wait for a slot. Messages that come meanwhile are passed on
   * afterwards.
   */
  async #instead<Result>(sessionId: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await this.#starts.without(sessionId, () => this.#sequencer.run(sessionId, work))
    } finally {
      this.#deliverRest(sessionId)
    }
  }

  /** Stops the running turn. Where none has begun, what would have begun it is cancelled, and a start is ended. */
  async #interrupt(sessionId: string): Promise<void> {
    const live = this.#fleet.get(sessionId)
    if (!live) return this.#instead(sessionId, () => this.#interruptWaiting(sessionId))
    const interrupted = this.#interruptLive(sessionId, live)
    if (live.hasSpoken || (await this.#isDoneSoon(interrupted)) || live.hasSpoken) return interrupted
    // Nothing is lost with a process that has not said a word: one that may hang at its start is not waited for.
    interrupted.catch(() => {})
    await this.#instead(sessionId, async () => {
      await live.abandon('It was interrupted before it had started.')
      await this.#interruptWaiting(sessionId)
    })
  }

  async #interruptLive(sessionId: string, live: LiveSession): Promise<void> {
    if (!live.hasTurn) await this.#cancelUnread(sessionId, live)
    await live.interrupt()
  }

  /** A process that is ready answers within milliseconds, and stays. */
  async #isDoneSoon(work: Promise<void>): Promise<boolean> {
    const isDone = work.then(
      () => true,
      () => false,
    )
    return Promise.race([isDone, wait(START_INTERRUPT_MS, false, { ref: false })])
  }

  /** Messages that the process was given, or is about to be; those that wait for the end of a turn stay. */
  async #cancelUnread(sessionId: string, live: LiveSession): Promise<void> {
    const { queue = [] } = (await this.#deps.journal.session(sessionId)) ?? {}
    const unread = queue.filter(({ messageId }) => !live.input.isHolding(messageId))
    const cancelling = unread.map(({ messageId }) =>
      // One that cannot be cancelled now may be read: then its turn is stopped.
      this.#cancellations.cancel(sessionId, messageId, INTERRUPTED).catch(() => false),
    )
    await Promise.race([Promise.all(cancelling), wait(INTERRUPT_MS, undefined, { ref: false })])
  }

  /** A turn that waits for an answer is given up. Without one, what waits for a process is cancelled. */
  async #interruptWaiting(sessionId: string): Promise<void> {
    this.#endPause(sessionId)
    const session = await this.#drivable(sessionId)
    if (!session) return
    const isWaiting = session.pendingRequests.length > 0
    await this.#deps.inbox.withdraw(sessionId, codedReason('request.interrupted'))
    if (!isWaiting) await this.#cancelQueue(session, INTERRUPTED)
  }

  /** Does something that needs the process, which is started if there is none. Answers in bounded time. */
  async #withLive<Result>(
    sessionId: string,
    action: (live: LiveSession) => Promise<Result>,
  ): Promise<Result> {
    const live = this.#fleet.get(sessionId) ?? (await this.#startWithin(sessionId, CONTROL_MS))
    if (live) return this.#act(live, action)
    if (await this.#drivable(sessionId))
      throw new HubError('claude_failed', 'The start of the process was interrupted. Try again.')
    throw new HubError('session_ended', `Session ${sessionId} has ended.`, { sessionId })
  }

  async #act<Result>(live: LiveSession, action: (live: LiveSession) => Promise<Result>): Promise<Result> {
    try {
      return await action(live)
    } catch (error) {
      // Race: it may be parked or stopped while it is asked.
      if (error instanceof HubError || this.#fleet.get(live.id) === live) throw error
      const message = 'The process of the session ended before it had answered. Try again.'
      throw new HubError('claude_failed', message, { sessionId: live.id }, { cause: error })
    } finally {
      this.#fleet.recheck(live.id)
    }
  }

  /** Rejects when there is no process in time. Resolves with null if the session has ended, or was interrupted. */
  async #startWithin(sessionId: string, ms: number): Promise<LiveSession | null> {
    const limit = new AbortController()
    const cancel = this.#deps.clock.after(ms, () => limit.abort(noProcess()))
    const start = async (signal: AbortSignal) => {
      limit.signal.throwIfAborted()
      return this.#fleet.ensure(sessionId, 'command', AbortSignal.any([signal, limit.signal]))
    }
    const started = this.#sequencer.run(sessionId, async () =>
      (await this.#drivable(sessionId)) ? this.#starts.run(sessionId, start) : null,
    )
    return abortable(started, limit.signal).finally(cancel)
  }

  /** Holds for the process that is there, and for one that is being started. */
  async #configure(sessionId: string, change: LiveChange, by: Actor | null): Promise<void> {
    const live = this.#fleet.get(sessionId)
    try {
      if (live) return await live.configure(change, by)
    } catch (error) {
      if (this.#fleet.get(sessionId) === live) throw error
    }
    // Without a process it is only recorded; the next process starts with it.
    const data = { ...change, ...(by && change.permissionMode !== undefined && { by }) }
    await this.#deps.journal.append(sessionId, [{ type: 'session.changed', data }])
    this.#fleet.noteChange()
    // Race: a process that has come meanwhile may have been started without it.
    await this.#fleet.get(sessionId)?.configure(change, by)
  }

  /** Ends the process, not the session. One that is being started reads its settings again before it is given anything. */
  async #park(sessionId: string, onlyIdle: boolean): Promise<void> {
    this.#fleet.noteChange()
    const live = this.#fleet.get(sessionId)
    if (!live) return this.#fleet.end(sessionId, 'parked', 'The session was parked.')
    await this.#sequencer.run(sessionId, async () => {
      if (!onlyIdle || !live.isNeeded) await live.end('parked', 'The session was parked.')
    })
  }

  /** One that is being started reads the trust in force again before it is given anything. */
  async #distrust(path: string): Promise<void> {
    this.#fleet.noteChange()
    await this.#fleet.endOverTrusted(path)
  }

  async #continue(sessionId: string): Promise<void> {
    await this.#sequencer.run(sessionId, async () => {
      if ((await this.#drivable(sessionId)) && !this.#fleet.get(sessionId))
        await this.#starts.run(sessionId, (signal) => this.#fleet.ensure(sessionId, 'continue', signal))
    })
  }

  /** Answers in bounded time; a start that takes longer continues, and reports a failure in the session. */
  async #continueSoon(sessionId: string): Promise<void> {
    const late = new AbortController()
    const cancel = this.#deps.clock.after(CONTROL_MS, () => late.abort())
    const started = this.#continue(sessionId)
    try {
      await abortable(started, late.signal)
    } catch (error) {
      if (!late.signal.aborted) throw error
      started.catch((failure: unknown) => this.#fail(sessionId, failure))
    } finally {
      cancel()
    }
  }

  async #stop(
    sessionId: string,
    { reason, outcome = 'interrupted' }: RunnerCommand<'session.stop'>,
  ): Promise<void> {
    const { journal } = this.#deps
    this.#endPause(sessionId)
    await this.#fleet.end(sessionId, 'stopped', reason)
    await this.#deps.inbox.withdraw(sessionId, reason)
    const session = await journal.session(sessionId)
    if (!session || session.state === 'ended') return
    await journal.append(sessionId, [{ type: 'session.ended', data: { outcome, reason } }])
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#starts.close()
    this.#recovery.stop()
    for (const leave of [...this.#leave, ...this.#pauses.values()]) leave()
    this.#pauses.clear()
    this.#leave = []
    await this.#fleet.close('Signalbox was stopped.')
    await this.#recovery.idle()
    await this.#sequencer.idle()
    await this.#fleet.close('Signalbox was stopped.')
    await this.#orphans.gone()
    await this.#recovery.close()
  }
}

/** An adopted conversation without a turn of ours is not replaced by a new one: the user chose that one. */
function isReplaceable({ conversation, turns }: Session): boolean {
  return conversation.kind === 'new' || turns > 0
}

function noProcess(): HubError {
  return new HubError(
    'claude_failed',
    `The session has no process, and none was free within ${CONTROL_MS / 1000} s. Try again when a session has ended its work, or raise maxLive.`,
  )
}
