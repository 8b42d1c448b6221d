/** Drives sessions: starts a process when a message waits, hands it over, and sees to it that every end is told. */

import type { Bus } from '../bus/port.js'
import { uuidOf } from '../lib/id.js'
import { Sequencer } from '../lib/sequencer.js'
import type { RunnerCommand } from '../protocol/command.js'
import type { DataOf, EventDraft } from '../protocol/event.js'
import type { Session } from '../protocol/session.js'
import type { Store } from '../store/port.js'
import {
  type Ending,
  type LaunchOptions,
  type LiveSession,
  type LiveSessionDeps,
  openLiveSession,
} from './live-session.js'
import { startTokenOf } from './process-identity.js'
import { reap } from './reaper.js'
import { recoveryDrafts } from './recovery.js'
import { hasTranscript } from './transcript.js'

export interface RunnerDeps extends LiveSessionDeps {
  store: Store
  bus: Bus
  /** The environment of every CLI process, and where in it the CLI keeps its conversations. */
  env: Readonly<Record<string, string>>
  configFolder: string
  /** What tells the processes of this home from those of another. */
  mark: string
}

export interface Runner {
  /** Ends what an earlier life left behind, tells how it ended, and takes up what still waits. */
  start(): Promise<void>
  /** Ends every process. Sessions can be continued in another life. */
  close(): Promise<void>
}

export function createRunner(deps: RunnerDeps): Runner {
  return new ProcessRunner(deps)
}

class ProcessRunner implements Runner {
  readonly #deps: RunnerDeps
  readonly #live = new Map<string, LiveSession>()
  readonly #sequencer = new Sequencer()
  #leave: (() => void)[] = []
  #isClosed = false

  constructor(deps: RunnerDeps) {
    this.#deps = deps
  }

  async start(): Promise<void> {
    const { store, bus, journal, mark } = this.#deps
    const recorded = await store.processes()
    await reap(`${mark}/`, recorded)
    for (const { pid } of recorded) store.removeProcess(pid)
    const subscription = journal.subscribe({
      deliver: (items) => {
        for (const { event } of items)
          if (event.type === 'message.queued') this.#take(event.sessionId, event.data)
      },
    })
    this.#leave = [() => subscription.close(), bus.serve((command) => this.#handle(command))]
    await this.#recover()
  }

  async #recover(): Promise<void> {
    const { store, inbox, journal } = this.#deps
    for (let before: string | undefined; ; ) {
      const page = await store.sessions({ kind: 'managed', isActive: true, limit: 500, before })
      if (page.length === 0) return
      before = page.at(-1)?.id
      for (const session of page) {
        await inbox.withdraw(session.id, 'Signalbox was restarted before anybody answered.')
        const drafts = recoveryDrafts(session)
        if (drafts.length > 0) await journal.append(session.id, drafts)
        if (session.state !== 'ended') this.#redeliver(session)
      }
    }
  }

  #redeliver(session: Session): void {
    for (const message of session.queue) this.#take(session.id, message)
  }

  /** Hands a message to the session's process, which is started if there is none. */
  #take(sessionId: string, message: DataOf<'message.queued'>): void {
    if (this.#isClosed) return
    this.#sequencer
      .run(sessionId, async () => {
        const live = await this.#liveSession(sessionId)
        if (!live) return
        if (message.whenBusy === 'replace' && live.isWorking) await live.interrupt()
        live.send(message)
      })
      .catch((error: unknown) => this.#fail(sessionId, message.messageId, error))
  }

  /** One process at a time: the old one is gone with everything it has started before the next one begins. */
  async #liveSession(sessionId: string): Promise<LiveSession | null> {
    const current = this.#live.get(sessionId)
    if (current && !current.hasEnded) return current
    await current?.ended
    return this.#open(sessionId)
  }

  async #open(sessionId: string): Promise<LiveSession | null> {
    const session = await this.#deps.journal.session(sessionId)
    if (!session || session.kind !== 'managed' || session.state === 'ended' || this.#isClosed) return null
    const pids: number[] = []
    const live = await openLiveSession(session, await this.#launchOptions(session, pids), this.#deps)
    this.#live.set(sessionId, live)
    live.ended.then((ending) => this.#leaveBehind(live, pids, ending)).catch(this.#deps.onFault)
    return live
  }

  async #launchOptions({ id, claudeSessionId }: Session, pids: number[]): Promise<LaunchOptions> {
    const { store, env, mark, configFolder } = this.#deps
    const conversation = claudeSessionId ?? uuidOf(id)
    const isKnown = await hasTranscript(configFolder, conversation)
    return {
      env,
      mark: `${mark}/${id}`,
      conversation: { kind: isKnown ? 'resume' : 'new', id: conversation },
      onSpawn: (pid) => {
        pids.push(pid)
        store.addProcess({ pid, startToken: startTokenOf(pid) ?? '', sessionId: id })
      },
    }
  }

  async #leaveBehind(live: LiveSession, pids: readonly number[], ending: Ending): Promise<void> {
    const { store, journal } = this.#deps
    if (this.#live.get(live.id) === live) this.#live.delete(live.id)
    for (const pid of pids) store.removeProcess(pid)
    const session = await journal.session(live.id)
    if (ending.kind === 'stopped' || !session) return
    if (ending.isUseful) return this.#redeliver(session)
    for (const { messageId } of session.queue) await this.#fail(live.id, messageId, new Error(ending.error))
  }

  /** A message that no process could be started for. */
  async #fail(sessionId: string, messageId: string, error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : 'unknown failure'
    try {
      await this.#deps.journal.append(sessionId, [
        {
          type: 'error.raised',
          data: { code: 'claude_failed', message: `Claude Code could not be started: ${reason}` },
        },
        { type: 'message.cancelled', data: { messageId, reason: 'Claude Code could not be started.' } },
      ])
    } catch (fault) {
      this.#deps.onFault(fault)
    }
  }

  async #handle(command: RunnerCommand): Promise<void> {
    const { sessionId } = command
    if (command.type === 'session.interrupt') return this.#live.get(sessionId)?.interrupt()
    await this.#sequencer.run(sessionId, () => this.#stop(sessionId, command.reason))
  }

  async #stop(sessionId: string, reason: string): Promise<void> {
    const { journal } = this.#deps
    await this.#live.get(sessionId)?.stop(reason)
    const session = await journal.session(sessionId)
    if (!session || session.state === 'ended') return
    const cancelled = session.queue.map(
      ({ messageId }): EventDraft => ({ type: 'message.cancelled', data: { messageId, reason } }),
    )
    await journal.append(sessionId, [
      ...cancelled,
      { type: 'session.ended', data: { outcome: 'interrupted', reason } },
    ])
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const leave of this.#leave) leave()
    this.#leave = []
    await this.#sequencer.idle()
    await Promise.all([...this.#live.values()].map((live) => live.stop('Signalbox was stopped.')))
  }
}
