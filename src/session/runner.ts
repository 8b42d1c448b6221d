/**
 * Drives sessions: passes messages to their processes, executes commands, and guarantees that every end is
 * recorded.
 */

import type { Bus, CommandHandlers } from '../bus/port.js'
import { clientError } from '../journal/journal.js'
import { redactJsonInSlices } from '../lib/redact/redact-json.js'
import { Sequencer } from '../lib/sequencer.js'
import type { DataOf, SessionEvent } from '../protocol/event/event.js'
import { raiseNotice } from '../protocol/event/notice.js'
import { reason as codedReason, type Reason, reasonIn } from '../protocol/reason/reason.js'
import type { RunnerCommand } from '../protocol/runner-command.js'
import type { Session } from '../protocol/session.js'
import { isAnswered, type StopReason } from '../protocol/value.js'
import { isDelayed } from '../protocol/view/condition.js'
import { appendUnlessRefused } from './append-unless-refused.js'
import { findLeft, type LeftLaunch } from './attach/left-process.js'
import { findConversation, newestConversation } from './claude/conversation.js'
import { killOrphans, type Orphans } from './claude/orphans.js'
import { reap } from './claude/reaper.js'
import { Cancellations } from './drive/cancellation.js'
import { Continuation } from './drive/continuation.js'
import { CrashRestart } from './drive/crash-restart.js'
import { Delivery } from './drive/delivery.js'
import { recordFailedStart } from './drive/failed-start.js'
import { Interruption } from './drive/interruption.js'
import { Starts } from './drive/pending-starts.js'
import { ProcessCommands } from './drive/process-command.js'
import type { SessionWork } from './drive/session-work.js'
import { Fleet, type FleetDeps } from './fleet.js'
import { OfferRecord } from './offer-record.js'
import { StartupRecovery } from './recovery/startup-recovery.js'

/** Stop reasons of turns that another process can resume. */
const CUT_OFF: ReadonlySet<string> = new Set<StopReason>(['crashed', 'daemon_restarted'])

/** How many messages a notice names. */
const MAX_LISTED = 10

export interface RunnerDeps extends Omit<FleetDeps, 'onEnded' | 'isCancelled'>, Orphans {
  /** Events behind this position are followed: what comes before is found by recovery. */
  after: number
  /** The machine whose sessions it drives: no others are recovered, nor given anything. */
  machine: string
  bus: Pick<Bus, 'serve'>
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
  /**
   * Ends every process, or with `keepsProcesses` leaves them for another run of the daemon. Sessions can be continued in another
   * run.
   */
  close(options?: CloseOptions): Promise<void>
}

export interface CloseOptions {
  keepsProcesses?: boolean
}

export function createRunner(deps: RunnerDeps): Runner {
  return new FleetRunner(deps)
}

class FleetRunner implements Runner {
  readonly #deps: RunnerDeps
  readonly #work: SessionWork
  readonly #cancellations: Cancellations
  readonly #delivery: Delivery
  readonly #continuation: Continuation
  readonly #crashRestart: CrashRestart
  readonly #interruption: Interruption
  readonly #commands: ProcessCommands
  readonly #recovery: StartupRecovery
  readonly #offers: OfferRecord
  #leave: (() => void)[] = []
  #isClosed = false

  constructor(deps: RunnerDeps) {
    const { journal, onFault } = deps
    const sequencer = new Sequencer()
    const drivable = (sessionId: string) => this.#drivable(sessionId)
    const deliver = (sessionId: string) => this.#delivery.deliver(sessionId)
    const deliverRest = (sessionId: string) => this.#delivery.deliverRest(sessionId)
    const fail = (sessionId: string, error: unknown) =>
      recordFailedStart(sessionId, error, { journal, onFault, cancellations: this.#cancellations })
    this.#deps = deps
    this.#offers = new OfferRecord(deps)
    const fleet = new Fleet({
      ...deps,
      isCancelled: (messageId) => this.#cancellations.isCancelled(messageId),
      onEnded: ({ id }, ending) => sequencer.run(id, () => this.#crashRestart.takeOver(id, ending)),
    })
    this.#work = { fleet, sequencer, starts: new Starts(), drivable }
    const shared = { ...deps, ...this.#work, fail }
    this.#cancellations = new Cancellations({
      journal,
      live: (sessionId) => fleet.get(sessionId),
      behind: (sessionId, work) => void sequencer.run(sessionId, async () => work()),
      deliver,
    })
    this.#delivery = new Delivery({
      ...shared,
      isPausing: (sessionId) => this.#crashRestart.isPausing(sessionId),
    })
    this.#continuation = new Continuation({ ...shared, deliver })
    this.#crashRestart = new CrashRestart({ ...shared, deliverRest, continuation: this.#continuation })
    this.#interruption = new Interruption({
      ...shared,
      cancellations: this.#cancellations,
      delivery: this.#delivery,
      endPause: (sessionId) => this.#crashRestart.endPause(sessionId),
    })
    this.#commands = new ProcessCommands(shared)
    this.#recovery = new StartupRecovery({
      ...deps,
      behind: (sessionId, work) => sequencer.run(sessionId, work),
      hasStarted: async (sessionId) =>
        fleet.get(sessionId) !== null || !isDelayed((await drivable(sessionId)) ?? { condition: null }),
      continueTurn: (sessionId) => this.#continuation.goOn(sessionId),
      deliver: deliverRest,
    })
  }

  async start(): Promise<void> {
    const { bus, journal, after, onFault } = this.#deps
    const left = await findLeft(this.#deps)
    await killOrphans(this.#deps, left)
    const subscription = journal.subscribe({
      after,
      onError: onFault,
      deliver: (items) => {
        for (const { event } of items) if ('seq' in event) this.#follow(event)
      },
    })
    const attached = await this.#attach(left)
    await this.#recovery.prepare(attached)
    this.#leave = [() => subscription.close(), bus.serve(withClientErrors(this.#handlers()))]
    for (const sessionId of attached) this.#delivery.deliver(sessionId)
    await this.#recovery.start()
  }

  /** Processes that cannot be attached to are ended before their sessions are recovered. */
  async #attach(left: readonly LeftLaunch[]): Promise<ReadonlySet<string>> {
    const attached = await Promise.all(
      left.map(async (launch): Promise<string[]> => {
        if (await this.#work.fleet.attach(launch)) return [launch.point.sessionId]
        launch.connection.close()
        await reap(launch.mark)
        launch.folder.remove()
        return []
      }),
    )
    return new Set(attached.flat())
  }

  recovered(sessionId: string): Promise<void> {
    return this.#recovery.recovered(sessionId)
  }

  recoveredAll(sessionIds: readonly string[]): Promise<boolean> {
    return this.#recovery.recoveredAll(sessionIds)
  }

  #follow({ sessionId, type, data }: SessionEvent): void {
    if (type === 'message.queued' || type === 'setup.ended') this.#delivery.deliver(sessionId)
    if (type === 'session.stopping') this.#stop(sessionId).catch(this.#deps.onFault)
    if (type === 'message.cancelled') this.#delivery.endNeedless(sessionId).catch(this.#deps.onFault)
    if ((type === 'permission.resolved' || type === 'question.resolved') && isAnswered(data.by))
      this.#continuation.answered(sessionId, data.requestId)
    if (type === 'session.started') this.#noteOffer(sessionId, data).catch(this.#deps.onFault)
    if (type === 'session.changed' && data.permissionMode === 'bypassPermissions')
      this.#noteFreed(sessionId).catch(this.#deps.onFault)
    if (type === 'session.changed' && data.externalId !== undefined) {
      const live = this.#work.fleet.get(sessionId)
      if (live) live.externalId = data.externalId
    }
    if (type === 'changes.undone')
      this.#work.fleet.get(sessionId)?.input.noteStale(data.files.map(({ path }) => path))
    if (type === 'changes.overlapped') this.#work.fleet.get(sessionId)?.input.noteStale(data.files)
    if (type === 'turn.ended' && !CUT_OFF.has(data.stopReason)) {
      this.#crashRestart.wentWell(sessionId)
      this.#continuation.wentWell(sessionId)
      this.#recovery.wentWell(sessionId)
      this.#forgetParked(sessionId)
    }
  }

  async #noteOffer(sessionId: string, { skills }: DataOf<'session.started'>): Promise<void> {
    const session = await this.#drivable(sessionId)
    const live = this.#work.fleet.get(sessionId)
    if (session && live) await this.#offers.note(session.cwd, skills, live.claude)
  }

  /** Messages that were queued while calls were asked about run without asking now: the admin who chose the mode must see which. */
  async #noteFreed(sessionId: string): Promise<void> {
    const { queue = [] } = (await this.#drivable(sessionId)) ?? {}
    if (queue.length === 0) return
    const listed = queue.map(({ messageId, from }) => `${messageId} from ${from.who}`)
    const messages = listed.slice(0, MAX_LISTED).join(', ')
    const more = listed.length - MAX_LISTED
    // Not shortened, as other parameters are: the admin must see all of them.
    const why: Reason =
      more > 0
        ? { code: 'notice.queued-before-bypass-more', params: { messages, count: String(more) } }
        : { code: 'notice.queued-before-bypass', params: { messages } }
    const details = { messageIds: queue.map(({ messageId }) => messageId) }
    const notice = raiseNotice('warning', 'queued_before_bypass', why, details)
    await appendUnlessRefused(this.#deps.journal, sessionId, notice)
  }

  /** A turn has come to its end without the calls that were waited for. */
  #forgetParked(sessionId: string): void {
    this.#work.sequencer
      .run(sessionId, () => this.#deps.asker.lapse(sessionId, codedReason('request.not-repeated')))
      .catch(this.#deps.onFault)
  }

  /** The session as it is now, if it is ours to drive and has not ended. */
  async #drivable(sessionId: string): Promise<Session | null> {
    const session = await this.#deps.journal.session(sessionId)
    if (session?.kind !== 'managed' || session.machine !== this.#deps.machine) return null
    return session.state === 'ended' || this.#isClosed ? null : session
  }

  #handlers(): Partial<CommandHandlers> {
    const commands = this.#commands
    return {
      'conversation.find': (command) => this.#findConversation(command),
      'workspace.distrusted': ({ path }) => commands.distrust(path),
      'session.interrupt': ({ sessionId }) => this.#interruption.interrupt(sessionId),
      'session.stop': ({ sessionId }) => this.#stop(sessionId),
      'session.park': ({ sessionId, onlyIdle }) => commands.park(sessionId, onlyIdle === true),
      'session.continue': ({ sessionId }) => this.#continuation.continueSoon(sessionId),
      'session.configure': ({ sessionId, change, by }) => commands.configure(sessionId, change, by),
      'session.cancel_message': ({ sessionId, messageId, reason }) =>
        this.#cancellations.cancel(sessionId, messageId, reason),
      'session.stop_task': ({ sessionId, taskId }) =>
        commands.withLive(sessionId, (live) => live.claude.stopTask(taskId)),
      'session.set_mcp_servers': ({ sessionId, servers }) =>
        commands.withLive(sessionId, (live) => live.claude.setMcpServers(servers)),
      'session.inspect': ({ sessionId, what }) =>
        commands.withLive(sessionId, async (live) => this.#withoutSecrets(await live.claude.inspect(what))),
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

  /** Idempotent: a session that has ended, or is not being stopped, stays as it is. */
  async #stop(sessionId: string): Promise<void> {
    const stopping = (await this.#drivable(sessionId))?.stopping
    if (stopping) await this.#delivery.instead(sessionId, () => this.#end(sessionId, stopping))
  }

  async #end(sessionId: string, data: DataOf<'session.stopping'>): Promise<void> {
    const { journal, asker } = this.#deps
    const why = reasonIn(data)
    this.#crashRestart.endPause(sessionId)
    await this.#work.fleet.end(sessionId, 'stopped', why)
    await asker.withdraw(sessionId, why)
    const session = await journal.session(sessionId)
    if (!session || session.state === 'ended') return
    await journal.append(sessionId, [{ type: 'session.ended', data }])
  }

  async close({ keepsProcesses = false }: CloseOptions = {}): Promise<void> {
    const { fleet, sequencer, starts } = this.#work
    this.#isClosed = true
    starts.close()
    this.#recovery.stop()
    for (const leave of this.#leave) leave()
    this.#crashRestart.close()
    this.#leave = []
    if (keepsProcesses) await fleet.detach(codedReason('end.shutdown'))
    await fleet.close(codedReason('end.shutdown'))
    await this.#recovery.idle()
    await sequencer.idle()
    await fleet.close(codedReason('end.shutdown'))
    await this.#recovery.close()
  }
}

type Handler = (command: RunnerCommand, signal: AbortSignal) => Promise<unknown>

/** A client that names a session which another one just deleted hears that it is not found. */
function withClientErrors(handlers: Partial<CommandHandlers>): Partial<CommandHandlers> {
  const answering = (Object.entries(handlers) as [string, Handler][]).map(([name, handle]) => {
    const answer: Handler = (command, signal) =>
      handle(command, signal).catch((error: unknown) => {
        throw 'sessionId' in command ? clientError(error, command.sessionId) : error
      })
    return [name, answer]
  })
  return Object.fromEntries(answering)
}
