/** Drives sessions: hands messages to their processes, carries out commands, and sees to it that every end is told. */

import { setTimeout as wait } from 'node:timers/promises'
import type { Bus } from '../bus/port.js'
import { uuidOf } from '../lib/id.js'
import { Limit } from '../lib/limit.js'
import { redactJsonInSlices } from '../lib/redact/secret-book.js'
import { Sequencer } from '../lib/sequencer.js'
import type { LiveChange, RunnerCommand } from '../protocol/command.js'
import { HubError } from '../protocol/error.js'
import type { DataOf, EventDraft, SessionEvent } from '../protocol/event.js'
import type { QueuedMessage, Session } from '../protocol/session.js'
import { storageUnavailable } from '../protocol/storage.js'
import type { Actor, StopReason } from '../protocol/value.js'
import { cutConversation, findConversation, messagesIn, newestConversation } from './conversation.js'
import { Fleet, type FleetDeps } from './fleet.js'
import type { Ending, LiveSession } from './live-session.js'
import { findOpenEnds } from './open-end.js'
import type { OutgoingMessage } from './outbox.js'
import { reap } from './reaper.js'
import { recoveryDrafts, waitingCalls } from './recovery.js'
import { RecoveryQueue } from './recovery-queue.js'
import { MAX_STARTS, RestartLimit } from './restart-limit.js'

/** Ends of turns that another process can go on with. */
const CUT_OFF: ReadonlySet<string> = new Set<StopReason>(['crashed', 'daemon_restarted'])

/** How long a start waits for the recovery of sessions; the rest is done while it serves clients. */
const RECOVER_FIRST_MS = 300
/** How often a client that waits for a session looks whether anything can be stored. */
const LOOK_MS = 100
const RECOVERING = 16

export interface RunnerDeps extends Omit<FleetDeps, 'onEnded'> {
  bus: Bus
  /** What becomes of a turn that was cut off by the end of the daemon: it goes on by itself, or a person is asked. */
  onRestart: 'continue' | 'ask'
}

export interface Runner {
  /**
   * Ends what an earlier life left behind, tells how it ended, and takes up what still waits. With many sessions it resolves before
   * the last is recovered: wait for `recovered` before anything is done to one.
   */
  start(): Promise<void>
  /** Resolves when the log of a session is in order. Rejects while nothing can be stored. */
  recovered(sessionId: string): Promise<void>
  /** Ends every process. Sessions can be continued in another life. */
  close(): Promise<void>
}

export function createRunner(deps: RunnerDeps): Runner {
  return new FleetRunner(deps)
}

class FleetRunner implements Runner {
  readonly #deps: RunnerDeps
  readonly #fleet: Fleet
  /** What concerns one session happens one after the other. */
  readonly #sequencer = new Sequencer()
  readonly #restarts = new RestartLimit()
  /** Sessions that wait before their next start, with what cancels the wait. */
  readonly #pauses = new Map<string, () => void>()
  /** Looking for records opens files: not thousands at once. */
  readonly #recovering = new Limit(RECOVERING)
  readonly #recovery = new RecoveryQueue()
  /** Sessions as the previous run has left them, until they go on. */
  readonly #cutOff = new Map<string, Session>()
  #closing: Promise<void> = Promise.resolve()
  #leave: (() => void)[] = []
  #isClosed = false

  constructor(deps: RunnerDeps) {
    this.#deps = deps
    this.#fleet = new Fleet({ ...deps, onEnded: (live, ending) => this.#takeOver(live, ending) })
  }

  async start(): Promise<void> {
    const { store, bus, journal, mark } = this.#deps
    const recorded = await store.processes()
    await reap(`${mark}/`, recorded)
    for (const { pid } of recorded) store.removeProcess(pid)
    const subscription = journal.subscribe({
      deliver: (items) => {
        for (const { event } of items) if ('seq' in event) this.#follow(event)
      },
    })
    const upTo = await store.lastPosition()
    const active = await store.activeSessions()
    this.#recovery.add(active)
    for (const sessionId of active) this.#resumeRecovered(sessionId)
    this.#leave = [() => subscription.close(), bus.serve((command) => this.#handle(command))]
    const isRecovered = this.#recovery.run((ids) => this.#recover(ids))
    this.#closing = isRecovered.then(() => this.#closeOpenEnds(upTo)).catch(this.#deps.onFault)
    await Promise.race([isRecovered, wait(RECOVER_FIRST_MS)])
  }

  async recovered(sessionId: string): Promise<void> {
    const { storage } = this.#deps.store
    const isRecovered = this.#recovery.recovered(sessionId)
    while (!this.#recovery.isRecovered(sessionId)) {
      if (storage.problem) throw storageUnavailable(storage.problem)
      await Promise.race([isRecovered, wait(LOOK_MS)])
    }
  }

  #follow({ sessionId, type, data }: SessionEvent): void {
    if (type === 'message.queued') this.#deliver(sessionId)
    if ((type === 'permission.resolved' || type === 'question.resolved') && data.by === 'person')
      this.#answered(sessionId, data.requestId)
    if (type === 'session.changed' && data.externalId !== undefined) {
      const live = this.#fleet.get(sessionId)
      if (live) live.externalId = data.externalId
    }
    if (type === 'turn.ended' && !CUT_OFF.has(data.stopReason)) {
      this.#restarts.forget(sessionId)
      this.#forgetParked(sessionId)
    }
  }

  /**
   * Before anyone can send or answer: what is pending is parked and every open end closed, for many sessions in one
   * commit. What needs the records of Claude Code comes afterwards, for each session before anything else of it.
   */
  async #recover(sessionIds: readonly string[]): Promise<void> {
    await Promise.all(sessionIds.map((sessionId) => this.#recoverSession(sessionId)))
  }

  /** One session that cannot be recovered does not keep the others from it. */
  async #recoverSession(sessionId: string): Promise<void> {
    const { inbox, journal, store } = this.#deps
    try {
      const session = await store.session(sessionId)
      if (!session) return
      await inbox.park(session.id, 'Signalbox was restarted before anybody answered.')
      const drafts = [...(await this.#damagedRequests(session)), ...recoveryDrafts(session)]
      if (drafts.length > 0) await journal.append(session.id, drafts)
      this.#cutOff.set(sessionId, session)
    } catch (error) {
      await this.#unrecovered(sessionId, error)
    }
  }

  #resumeRecovered(sessionId: string): void {
    this.#sequencer
      .run(sessionId, async () => {
        await this.#recovery.released(sessionId)
        const session = this.#cutOff.get(sessionId)
        this.#cutOff.delete(sessionId)
        if (session) await this.#recovering.run(() => this.#resumeSession(session))
      })
      .catch((error: unknown) => this.#unrecovered(sessionId, error))
  }

  /** A request whose row cannot be read is answered by nobody: it is denied, and the session says why. */
  async #damagedRequests({ pendingRequests }: Session): Promise<EventDraft[]> {
    const drafts: EventDraft[] = []
    for (const requestId of pendingRequests) {
      if (await this.#deps.store.request(requestId)) continue
      const message = `Request ${requestId} is damaged in the database. It was denied.`
      const data = { requestId, by: 'shutdown', who: null, via: null, reason: message } as const
      drafts.push(
        { type: 'error.raised', data: { code: 'storage_damaged', message } },
        requestId.startsWith('que_')
          ? { type: 'question.resolved', data: { ...data, answers: null } }
          : { type: 'permission.resolved', data: { ...data, decision: 'deny', rule: null, message } },
      )
    }
    return drafts
  }

  async #resumeSession(session: Session): Promise<void> {
    const { journal, onRestart } = this.#deps
    if (this.#isClosed) return
    await this.#forgetFailedCalls(session)
    await this.#giveUpParked(session.id)
    if (session.state === 'ended') return
    if (session.parentToolUseId !== null) return this.#endForsaken(session.id)
    const { parkedRequests, pendingRequests } = (await journal.session(session.id)) ?? session
    const isAnswered = parkedRequests.some((id) => !pendingRequests.includes(id))
    const goesOn = onRestart === 'continue' && (session.turn !== null || parkedRequests.length > 0)
    if (goesOn || isAnswered) this.#goOn(session.id)
    else this.#deliverRest(session.id)
  }

  async #unrecovered(sessionId: string, error: unknown): Promise<void> {
    const { journal, onFault } = this.#deps
    onFault(error)
    const reason = error instanceof Error ? error.message : 'unknown failure'
    const message = `This session could not be recovered after a restart: ${reason}`
    await journal
      .append(sessionId, [{ type: 'error.raised', data: { code: 'storage_damaged', message } }])
      .catch(onFault)
  }

  /** Ends that were lost before this start, also those that the snapshots have forgotten. Once for each part of the log. */
  async #closeOpenEnds(upTo: number): Promise<void> {
    const { store, journal } = this.#deps
    const after = await store.recoveredUpTo()
    if (after >= upTo || this.#isClosed) return
    for (const [sessionId, drafts] of await findOpenEnds(store, { after, upTo })) {
      if (this.#isClosed) return
      if ((await journal.session(sessionId))?.kind !== 'managed') continue
      await journal.append(sessionId, drafts).catch((error: unknown) => this.#unrecovered(sessionId, error))
    }
    await store.setRecovered(upTo)
  }

  /**
   * A CLI that lost its daemon writes down that the call has failed, and goes on from there. What waits for a person must
   * be asked again, so the record ends with the call.
   */
  async #forgetFailedCalls(session: Session): Promise<void> {
    const { inbox, configFolder } = this.#deps
    const pending = await inbox.requests({ sessionId: session.id, state: 'pending' })
    if (pending.length === 0) return
    const found = await findConversation(configFolder, session.claudeSessionId ?? session.conversation.id)
    if (found) await cutConversation(found.path, waitingCalls(session, pending))
  }

  /** What can not be taken up again says so: the conversation was never written down, or its record is gone. */
  async #giveUpParked(sessionId: string): Promise<void> {
    const { inbox, journal, configFolder } = this.#deps
    const session = await journal.session(sessionId)
    if (!session || session.parkedRequests.length === 0) return
    const id = session.claudeSessionId ?? session.conversation.id
    if (session.state !== 'ended' && (await findConversation(configFolder, id))) return
    await inbox.withdraw(sessionId, 'The agent ended before anybody answered, and can not be taken up again.')
  }

  /** An answer to a request whose process is gone: the turn goes on with it. */
  #answered(sessionId: string, requestId: string): void {
    this.#sequencer
      .run(sessionId, async () => {
        const session = await this.#drivable(sessionId)
        if (session?.parkedRequests.includes(requestId) && !this.#fleet.get(sessionId)) this.#goOn(sessionId)
      })
      .catch(this.#deps.onFault)
  }

  /** The turn that was cut off goes on, and then what waits behind it. */
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

  /** Nobody waits any more for what a called agent would still do. */
  async #endForsaken(sessionId: string): Promise<void> {
    const reason = 'Signalbox was restarted, and with it ended the call that this session was to answer.'
    await this.#deps.inbox.withdraw(sessionId, reason)
    await this.#deps.journal.append(sessionId, [
      { type: 'session.ended', data: { outcome: 'interrupted', reason } },
    ])
  }

  /** Hands everything that waits to the session's process, in its order; the process is started if there is none. */
  #deliver(sessionId: string): void {
    this.#sequencer
      .run(sessionId, async () => {
        const session = await this.#drivable(sessionId)
        // A pause between two starts holds for messages that come meanwhile too.
        if (!session || session.queue.length === 0 || this.#pauses.has(sessionId)) return
        await this.#fleet.refresh(sessionId)
        const read = this.#fleet.get(sessionId) ? [] : await this.#beforeStart(session)
        const live = await this.#fleet.ensure(session, read.length > 0 ? 'continue' : 'message')
        for (const message of session.queue) {
          if (!read.includes(message.messageId)) await live.send(await this.#withContent(sessionId, message))
        }
      })
      .catch((error: unknown) => this.#fail(sessionId, error))
  }

  /**
   * A message that an earlier process has written down was read, though nobody heard of it: the CLI (2.1.325) passes
   * over it when it is sent again. The turn that it began goes on instead. Resolves with those messages.
   */
  async #beforeStart({ id, queue, claudeSessionId, conversation }: Session): Promise<string[]> {
    const { inbox, journal, configFolder } = this.#deps
    await inbox.lapse(id, 'The session went on with another message.')
    const found = await findConversation(configFolder, claudeSessionId ?? conversation.id)
    if (!found) return []
    const ids = queue.map(({ messageId }) => messageId)
    const written = await messagesIn(found.path, ids.map(uuidOf))
    const read = ids.filter((messageId) => written.has(uuidOf(messageId)))
    if (read.length > 0)
      await journal.append(
        id,
        read.map((messageId) => ({ type: 'message.delivered', data: { messageId } })),
      )
    return read
  }

  /** The snapshot holds the beginning of the text; long texts and pictures are read from the log. */
  async #withContent(sessionId: string, message: QueuedMessage): Promise<OutgoingMessage> {
    if (!message.hasContent) return message
    const [stored] = await this.#deps.store.readSession(sessionId, { after: message.seq - 1, limit: 1 })
    return stored?.event.type === 'message.queued' ? stored.event.data : message
  }

  /** The session as it is now, if it is ours to drive and has not ended. */
  async #drivable(sessionId: string): Promise<Session | null> {
    const session = await this.#deps.journal.session(sessionId)
    return session?.kind === 'managed' && session.state !== 'ended' && !this.#isClosed ? session : null
  }

  /** After a crash, what was not read goes to another process, unless this one died before it could begin. */
  async #takeOver(live: LiveSession, ending: Ending): Promise<void> {
    const session = await this.#deps.journal.session(live.id)
    if (!session || ending.kind === 'stopped' || this.#isClosed) return
    await this.#giveUpParked(live.id)
    if (ending.kind === 'parked') return this.#deliverRest(live.id)
    if (ending.isUseful || ending.isHung) return this.#restart(session, ending.error)
    await this.#fail(
      live.id,
      new Error([ending.error, ending.lastWords].filter((text) => text !== '').join('\n')),
    )
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

  /** Ends the pause before a start together with what would have been handed over after it. */
  async #cancelQueue(sessionId: string, reason: string): Promise<void> {
    const { journal } = this.#deps
    this.#endPause(sessionId)
    const { queue = [] } = (await journal.session(sessionId)) ?? {}
    const cancelled = queue.map(
      ({ messageId }): EventDraft => ({ type: 'message.cancelled', data: { messageId, reason } }),
    )
    await journal.append(sessionId, [{ type: 'session.changed', data: { condition: null } }, ...cancelled])
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
      const cancelled = (session?.queue ?? []).map(
        ({ messageId }): EventDraft => ({
          type: 'message.cancelled',
          data: { messageId, reason: 'Claude Code could not be started.' },
        }),
      )
      await journal.append(sessionId, [{ type: 'error.raised', data }, ...cancelled])
    } catch (fault) {
      onFault(fault)
    }
  }

  #handle(command: RunnerCommand): Promise<unknown> {
    if (command.type === 'conversation.find') return this.#findConversation(command)
    if (command.type === 'workspace.distrusted') return this.#fleet.endOverTrusted(command.path)
    const { sessionId } = command
    switch (command.type) {
      case 'session.interrupt':
        return this.#interrupt(sessionId)
      case 'session.stop':
        return this.#sequencer.run(sessionId, () => this.#stop(sessionId, command))
      case 'session.park':
        return this.#sequencer.run(sessionId, () =>
          this.#fleet.end(sessionId, 'parked', 'The session was parked.'),
        )
      case 'session.continue':
        return this.#continue(sessionId)
      case 'session.configure':
        return this.#configure(sessionId, command.change, command.by)
      case 'session.cancel_message':
        return this.#cancelMessage(sessionId, command.messageId, command.reason)
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

  /** Also while the process is being started: what it was about to be given is then taken back. */
  async #interrupt(sessionId: string): Promise<void> {
    const live = this.#fleet.get(sessionId)
    if (live) return live.interrupt()
    await this.#sequencer.run(sessionId, async () => {
      const started = this.#fleet.get(sessionId)
      if (this.#pauses.has(sessionId)) await this.#cancelQueue(sessionId, 'Interrupted before it was read.')
      if (started) await started.interrupt()
      else await this.#deps.inbox.withdraw(sessionId, 'The turn was interrupted before anybody answered.')
    })
  }

  /** Does something that needs the process, which is started if there is none. */
  async #withLive<Result>(
    sessionId: string,
    action: (live: LiveSession) => Promise<Result>,
  ): Promise<Result> {
    const live = await this.#sequencer.run(sessionId, async () => {
      const session = await this.#drivable(sessionId)
      return session && this.#fleet.ensure(session)
    })
    if (live) return action(live)
    throw new HubError('session_ended', `Session ${sessionId} has ended.`, { sessionId })
  }

  async #configure(sessionId: string, change: LiveChange, by: Actor | null): Promise<void> {
    const live = this.#fleet.get(sessionId)
    if (live) return live.configure(change, by)
    // Without a process it is only written down; the next one starts with it.
    const data = { ...change, ...(by && change.permissionMode !== undefined && { by }) }
    await this.#deps.journal.append(sessionId, [{ type: 'session.changed', data }])
  }

  async #cancelMessage(sessionId: string, messageId: string, reason: string): Promise<boolean> {
    const live = this.#fleet.get(sessionId)
    if (live) return live.cancelMessage(messageId, reason)
    await this.#deps.journal.append(sessionId, [{ type: 'message.cancelled', data: { messageId, reason } }])
    return true
  }

  #continue(sessionId: string): Promise<void> {
    return this.#sequencer.run(sessionId, async () => {
      const session = await this.#drivable(sessionId)
      if (session && !this.#fleet.get(sessionId)) await this.#fleet.ensure(session, 'continue')
    })
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
    this.#recovery.close()
    for (const leave of [...this.#leave, ...this.#pauses.values()]) leave()
    this.#pauses.clear()
    this.#leave = []
    await this.#fleet.close('Signalbox was stopped.')
    await this.#closing
    await this.#sequencer.idle()
    await this.#fleet.close('Signalbox was stopped.')
  }
}
