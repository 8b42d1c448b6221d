/** The live processes of all sessions: how one is started, how many there may be, which of them rest. */

import { randomUUID } from 'node:crypto'
import { startTokenOf } from '../lib/start-token.js'
import { HubError } from '../protocol/error.js'
import type { EventDraft } from '../protocol/event.js'
import type { Session } from '../protocol/session.js'
import type { Store } from '../store/port.js'
import type { ClaudeCallbacks, ClaudePort, Launch, ProcessOptions } from './claude-port.js'
import { type LaunchSettings, prepareLaunch, refuseIfDriven, secretsOf } from './launch.js'
import { LiveLimit } from './live-limit.js'
import {
  type Ending,
  type LiveSession,
  type LiveSessionDeps,
  openLiveSession,
  SILENT_MS,
} from './live-session.js'
import { inputObstacle } from './replaced-input.js'
import { secretsOfFolder } from './touched-secret.js'
import { findTrust, isTrusted, type Trust } from './trust.js'
import { WarmPool } from './warm-pool.js'

export interface FleetDeps extends LiveSessionDeps, LaunchSettings {
  store: Store
  claude: ClaudePort
  limits: FleetLimits
  /** A process has ended, on purpose or not. */
  onEnded(live: LiveSession, ending: Ending): Promise<void>
}

export interface FleetLimits {
  /** How many processes are kept ready for sessions to come. */
  warm: number
  /** A session that has done nothing for this long gives up its process; its next message starts another. */
  parkAfterMs: number
  /** How many processes may live at once. */
  maxLive: number
}

interface Opened {
  live: LiveSession
  /** What of its workspace acts in it. */
  trust: Trust
  launch: Launch
}

interface Member extends Opened {
  /** When it last did something. */
  activeAt: number
}

const SWEEP_MS = 30_000

export class Fleet {
  readonly #deps: FleetDeps
  readonly #members = new Map<string, Member>()
  readonly #pids = new Set<number>()
  readonly #limit: LiveLimit
  readonly #pool: WarmPool
  #cancelSweep = () => {}
  #isClosed = false

  constructor(deps: FleetDeps) {
    this.#deps = deps
    const { warm, parkAfterMs, maxLive } = deps.limits
    this.#limit = new LiveLimit({ max: maxLive, makeRoom: () => this.#parkLongestIdle() })
    this.#pool = new WarmPool({
      ...deps,
      size: warm,
      keepMs: parkAfterMs,
      newProcess: () => this.#newProcess(''),
    })
    this.#planSweep()
  }

  /** The live session, if there is a process behind it that has not ended. */
  get(sessionId: string): LiveSession | null {
    const live = this.#members.get(sessionId)?.live
    return live && !live.hasEnded && !live.isEnding ? live : null
  }

  /** `continue`: the process goes on by itself with a turn that was cut off. */
  async ensure(session: Session, purpose: 'message' | 'continue' = 'message'): Promise<LiveSession> {
    const current = this.#members.get(session.id)?.live
    if (current && !current.hasEnded && !current.isEnding) return current
    // One process at a time: the old one is gone with everything it has started before the next one begins.
    await current?.ended
    const giveBack = await this.#takeSlot(session.id)
    // Nothing is started that could not be recorded.
    const { storage } = this.#deps.store
    for (let next = storage.nextTry(); next; next = storage.nextTry()) await next
    try {
      if (this.#isClosed) throw new HubError('session_not_driven', 'Signalbox is being stopped.')
      const opened = await this.#open(session, purpose)
      this.#join(opened, giveBack)
      return opened.live
    } catch (error) {
      giveBack()
      throw error
    }
  }

  async #takeSlot(sessionId: string): Promise<() => void> {
    if (!this.#limit.isFull) return this.#limit.take()
    const { journal } = this.#deps
    await journal.append(sessionId, [{ type: 'session.changed', data: { condition: 'waiting_for_slot' } }])
    const giveBack = await this.#limit.take()
    await journal.append(sessionId, [{ type: 'session.changed', data: { condition: null } }])
    return giveBack
  }

  /** What it is given stays secret when its options change, and after a restart. */
  async #learnSecrets({ id, cwd }: Session, given: readonly string[]): Promise<void> {
    const { secrets, store } = this.#deps
    const fresh = secrets.learn(given)
    if (fresh.length > 0) await store.addSecrets(id, fresh, 'configured')
    secrets.learn(await secretsOfFolder(cwd), 'file')
  }

  async #open(session: Session, purpose: 'message' | 'continue'): Promise<Opened> {
    const { store, configFolder, claude, journal } = this.#deps
    const { launch, problems, workspaceServers, trust } = await prepareLaunch(
      session,
      await store.options(session.id),
      await store.trustedWorkspaces(),
      this.#deps,
    )
    await this.#learnSecrets(session, secretsOf(launch))
    await refuseIfDriven(configFolder, launch.start.id, this.#pids)
    const start = async (callbacks: ClaudeCallbacks) => {
      if (purpose === 'continue')
        return claude.open(continuing(launch), callbacks, this.#newProcess(session.id))
      const spare = this.#pool.take(launch)
      if (!spare) return claude.open(launch, callbacks, this.#newProcess(session.id))
      // Stored before the process is used, so that a crash in between does not lose the conversation.
      const data = { claudeSessionId: spare.conversationId }
      await journal.append(session.id, [{ type: 'session.changed', data }])
      return spare.process.claim(callbacks)
    }
    const place = {
      home: launch.env['HOME'] ?? '/',
      serverSource: (server: string) => (workspaceServers.has(server) ? 'project' : 'user'),
      env: launch.env,
      jailObstacle: (claudeFolders: readonly string[]) =>
        inputObstacle({
          cwd: session.cwd,
          configFolder,
          claudeFolders,
          options: launch.options,
          env: launch.env,
        }),
    }
    const onActivity = () => this.#touch(session.id)
    const live = await openLiveSession(
      { session, source: SOURCES[launch.start.kind], place, open: start, onActivity },
      this.#deps,
    )
    if (purpose === 'continue') live.expectTurn()
    for (const { code, message } of problems) live.write([{ type: 'error.raised', data: { code, message } }])
    if (launch.start.kind === 'new') this.#pool.refill(launch)
    return { live, trust, launch }
  }

  #join({ live, trust, launch }: Opened, giveBack: () => void): void {
    this.#members.set(live.id, { live, trust, launch, activeAt: this.#deps.clock.now() })
    live.ended
      .then(async (ending) => {
        if (this.#members.get(live.id)?.live === live) this.#members.delete(live.id)
        giveBack()
        await this.#deps.onEnded(live, ending)
      })
      .catch(this.#deps.onFault)
  }

  /** Every process is recorded before it does anything, so that another life of the daemon can end it. */
  #newProcess(sessionId: string): ProcessOptions {
    const { store, mark, hooks } = this.#deps
    return {
      mark: `${mark}/${randomUUID()}`,
      scratchFolder: hooks.scratchFolder,
      onSpawn: (pid) => {
        this.#pids.add(pid)
        store.addProcess({ pid, startToken: startTokenOf(pid) ?? '', sessionId })
      },
      onExit: (pid) => {
        this.#pids.delete(pid)
        store.removeProcess(pid)
      },
    }
  }

  /** Whether the process has loaded what would not be loaded now: from a folder that is not trusted, or not any more. */
  async #isOverTrusted({ trust, launch }: Opened): Promise<boolean> {
    if (!trust.isTrusted) return false
    const now = await findTrust({
      cwd: launch.cwd,
      trusted: await this.#deps.store.trustedWorkspaces(),
      userHome: launch.env['HOME'] ?? '/',
      more: launch.options.additionalDirectories ?? [],
    })
    return !now.isTrusted || now.strangers.some((folder) => !trust.strangers.includes(folder))
  }

  /** Ends the process of a session that rests, if it has loaded what it would not be given now. */
  async refresh(sessionId: string): Promise<void> {
    const member = this.#members.get(sessionId)
    if (!member || member.live.isNeeded || !(await this.#isOverTrusted(member))) return
    member.live.write([trustNotice()])
    await member.live.end('parked', TRUST_ENDED)
  }

  /** The same for all processes in and below a folder that is not trusted any more, also those at work. */
  async endOverTrusted(path: string): Promise<void> {
    this.#pool.dropBelow(path)
    const below = [...this.#members.values()].filter(({ launch }) => isTrusted(launch.cwd, [{ path }]))
    await Promise.all(
      below.map(async (member) => {
        if (!(await this.#isOverTrusted(member)) || member.live.isEnding) return
        member.live.write([trustNotice()])
        await member.live.end('parked', TRUST_ENDED)
      }),
    )
  }

  #touch(sessionId: string): void {
    const member = this.#members.get(sessionId)
    if (!member) return
    member.activeAt = this.#deps.clock.now()
    if (!member.live.isNeeded) this.#limit.recheck()
  }

  /** Ends the process of a session, if there is one. */
  async end(sessionId: string, kind: 'stopped' | 'parked', reason: string): Promise<void> {
    await this.#members.get(sessionId)?.live.end(kind, reason)
  }

  #planSweep(): void {
    const { clock, limits } = this.#deps
    this.#cancelSweep = clock.after(Math.min(SWEEP_MS, limits.parkAfterMs), () => {
      this.#parkIdle()
      this.#probeSilent()
      this.#pool.sweep()
      this.#planSweep()
    })
  }

  #parkIdle(): void {
    const { clock, limits } = this.#deps
    for (const { live, activeAt } of this.#members.values()) {
      if (!live.isNeeded && clock.now() - activeAt >= limits.parkAfterMs) this.#park(live)
    }
  }

  #probeSilent(): void {
    const { clock, onFault } = this.#deps
    for (const { live, activeAt } of this.#members.values()) {
      const isSilent = clock.now() - activeAt >= SILENT_MS
      if (live.isNeeded && !live.isEnding && isSilent) live.probe().catch(onFault)
    }
  }

  #parkLongestIdle(): void {
    const idle = [...this.#members.values()].filter(({ live }) => !live.isNeeded && !live.isEnding)
    const [longest] = idle.toSorted((one, other) => one.activeAt - other.activeAt)
    if (longest) this.#park(longest.live)
  }

  #park(live: LiveSession): void {
    live.end('parked', 'The session was parked.').catch(this.#deps.onFault)
  }

  /** Ends every process. */
  async close(reason: string): Promise<void> {
    this.#isClosed = true
    this.#cancelSweep()
    await Promise.all([
      this.#pool.close(),
      ...[...this.#members.values()].map(({ live }) => live.suspend(reason)),
    ])
  }
}

const TRUST_ENDED = 'The workspace is not trusted any more.'

function trustNotice(): EventDraft {
  const text =
    'The workspace, or a folder above it, is not trusted. The process that had loaded its settings was ended; the next message starts one without them.'
  return { type: 'notice.raised', data: { level: 'warning', topic: 'trust', text } }
}

const SOURCES = { new: 'startup', resume: 'resume', fork: 'fork' } as const

function continuing(launch: Launch): Launch {
  return { ...launch, env: { ...launch.env, CLAUDE_CODE_RESUME_INTERRUPTED_TURN: '1' } }
}
