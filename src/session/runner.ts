/**
 * Drives sessions: passes messages to their processes, executes commands, and guarantees that every end is
 * recorded.
 */

import type { Bus } from '../bus/port.js'
import { redactJsonInSlices } from '../lib/redact/redact-json.js'
import { Sequencer } from '../lib/sequencer.js'
import type { RunnerCommand } from '../protocol/api-body.js'
import type { SessionEvent } from '../protocol/event/event.js'
import type { Session } from '../protocol/session.js'
import type { StopReason } from '../protocol/value.js'
import { isDelayed } from '../protocol/view/condition.js'
import { appendUnlessRefused } from './append-unless-refused.js'
import { findConversation, newestConversation } from './claude/conversation.js'
import { killOrphans } from './claude/orphans.js'
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
import { StartupRecovery } from './recovery/startup-recovery.js'

/** Stop reasons of turns that another process can resume. */
const CUT_OFF: ReadonlySet<string> = new Set<StopReason>(['crashed', 'daemon_restarted'])

/** How many messages a notice names. */
const MAX_LISTED = 10

export interface RunnerDeps extends Omit<FleetDeps, 'onEnded' | 'isCancelled'> {
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
  readonly #work: SessionWork
  readonly #cancellations: Cancellations
  readonly #delivery: Delivery
  readonly #continuation: Continuation
  readonly #crashRestart: CrashRestart
  readonly #interruption: Interruption
  readonly #commands: ProcessCommands
  readonly #recovery: StartupRecovery
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
    const { store, bus, journal, mark } = this.#deps
    await killOrphans(store, mark)
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
    if (type === 'message.queued') this.#delivery.deliver(sessionId)
    if (type === 'message.cancelled') this.#delivery.endNeedless(sessionId).catch(this.#deps.onFault)
    if ((type === 'permission.resolved' || type === 'question.resolved') && data.by === 'person')
      this.#continuation.answered(sessionId, data.requestId)
    if (type === 'session.changed' && data.permissionMode === 'bypassPermissions')
      this.#noteFreed(sessionId).catch(this.#deps.onFault)
    if (type === 'session.changed' && data.externalId !== undefined) {
      const live = this.#work.fleet.get(sessionId)
      if (live) live.externalId = data.externalId
    }
    if (type === 'turn.ended' && !CUT_OFF.has(data.stopReason)) {
      this.#crashRestart.wentWell(sessionId)
      this.#continuation.wentWell(sessionId)
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
    await appendUnlessRefused(this.#deps.journal, sessionId, { type: 'notice.raised', data })
  }

  /** A turn has come to its end without the calls that were waited for. */
  #forgetParked(sessionId: string): void {
    this.#work.sequencer
      .run(sessionId, () => this.#deps.inbox.lapse(sessionId, 'The agent has not asked for it again.'))
      .catch(this.#deps.onFault)
  }

  /** The session as it is now, if it is ours to drive and has not ended. */
  async #drivable(sessionId: string): Promise<Session | null> {
    const session = await this.#deps.journal.session(sessionId)
    return session?.kind === 'managed' && session.state !== 'ended' && !this.#isClosed ? session : null
  }

  #handle(command: RunnerCommand): Promise<unknown> {
    if (command.type === 'conversation.find') return this.#findConversation(command)
    if (command.type === 'workspace.distrusted') return this.#commands.distrust(command.path)
    const { sessionId } = command
    switch (command.type) {
      case 'session.interrupt':
        return this.#interruption.interrupt(sessionId)
      case 'session.stop':
        return this.#delivery.instead(sessionId, () => this.#stop(sessionId, command))
      case 'session.park':
        return this.#commands.park(sessionId, command.onlyIdle === true)
      case 'session.continue':
        return this.#continuation.continueSoon(sessionId)
      case 'session.configure':
        return this.#commands.configure(sessionId, command.change, command.by)
      case 'session.cancel_message':
        return this.#cancellations.cancel(sessionId, command.messageId, command.reason)
      case 'session.stop_task':
        return this.#commands.withLive(sessionId, (live) => live.claude.stopTask(command.taskId))
      case 'session.rewind':
        return this.#commands.withLive(sessionId, (live) =>
          live.rewind(command.to, command.dryRun === true, command.by),
        )
      case 'session.set_mcp_servers':
        return this.#commands.withLive(sessionId, (live) => live.claude.setMcpServers(command.servers))
      case 'session.inspect':
        return this.#commands.withLive(sessionId, async (live) =>
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

  async #stop(
    sessionId: string,
    { reason, outcome = 'interrupted' }: RunnerCommand<'session.stop'>,
  ): Promise<void> {
    const { journal, inbox } = this.#deps
    this.#crashRestart.endPause(sessionId)
    await this.#work.fleet.end(sessionId, 'stopped', reason)
    await inbox.withdraw(sessionId, reason)
    const session = await journal.session(sessionId)
    if (!session || session.state === 'ended') return
    await journal.append(sessionId, [{ type: 'session.ended', data: { outcome, reason } }])
  }

  async close(): Promise<void> {
    const { fleet, sequencer, starts } = this.#work
    this.#isClosed = true
    starts.close()
    this.#recovery.stop()
    for (const leave of this.#leave) leave()
    this.#crashRestart.close()
    this.#leave = []
    await fleet.close('Signalbox was stopped.')
    await this.#recovery.idle()
    await sequencer.idle()
    await fleet.close('Signalbox was stopped.')
    await this.#recovery.close()
  }
}
