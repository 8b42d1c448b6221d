/** The live processes of all sessions: how one is started, how many there may be, which of them rest. */

import { randomUUID } from 'node:crypto'
import { AppendRefused } from '../journal/journal.js'
import { abortable } from '../lib/abortable.js'
import { startTokenOf } from '../lib/start-token.js'
import type { EventDraft } from '../protocol/event/event.js'
import type { Condition } from '../protocol/event/session-event.js'
import type { StoredOptions } from '../protocol/option/option-role.js'
import type { Session } from '../protocol/session.js'
import { isTrusted } from '../protocol/workspace.js'
import type { Store } from '../store/port.js'
import type { Orphans } from './claude/orphans.js'
import type { ClaudeCallbacks, ClaudePort, Launch, ProcessOptions } from './claude/port.js'
import { SILENT_MS } from './claude/response-watch.js'
import { inputObstacle } from './gate/replaced-input.js'
import { type LaunchSettings, type PreparedLaunch, prepareLaunch, refuseIfDriven } from './launch.js'
import { LiveLimit } from './live-limit.js'
import type { LiveSession } from './live-session.js'
import { type OpenedSession, type Opening, type OpenSessionDeps, openSession } from './open-session.js'
import type { Ending } from './session-ending.js'
import { createLearnSecrets } from './session-secrets.js'
import { findTrust, type Trust } from './trust.js'
import { WarmPool } from './warm-pool.js'

export interface FleetDeps extends OpenSessionDeps, LaunchSettings, Pick<Opening, 'isCancelled'> {
  store: Store
  claude: ClaudePort
  limits: FleetLimits
  orphans: Pick<Orphans, 'gone'>
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
  /** The parts of its workspace that take effect in it. */
  trust: Trust
  launch: Launch
}

interface Member extends Opened {
  /** When it last did something. */
  activeAt: number
}

/**
 * Why a process is started: for a queued message, to continue a turn that was cut off, or for a command that
 * needs a process.
 */
type Purpose = 'message' | 'continue' | 'command'

/** The settings that a process is started with, read at one point in time. */
interface StartSettings {
  session: Session
  stored: StoredOptions
  /** Folders that are trusted. */
  trusted: readonly { readonly path: string }[]
}

/** A process that no session uses yet, and what it was started with. */
type OpenedProcess = OpenedSession & Omit<Opened, 'live'>

const SWEEP_MS = 30_000

export class Fleet {
  readonly #deps: FleetDeps
  readonly #members = new Map<string, Member>()
  readonly #pids = new Set<number>()
  readonly #limit: LiveLimit
  readonly #pool: WarmPool
  /** Processes that were started for nothing, until they are gone. */
  readonly #discarded = new Map<string, Promise<void>>()
  /** Counts changes of settings, so that a start can see whether there was one. */
  #changes = 0
  #cancelSweep = () => {}

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

  /**
   * The live session; its process is started if there is none. Resolves with null if there is nothing to start it for any
   * more. Every wait ends when the signal aborts.
   */
  async ensure(sessionId: string, purpose: Purpose, signal: AbortSignal): Promise<LiveSession | null> {
    const current = this.get(sessionId)
    if (current) return current
    // One process at a time: the old one is gone with everything it has started before the next one begins.
    await abortable(this.#whenGone(sessionId), signal)
    await abortable(this.#deps.orphans.gone(), signal)
    const giveBack = await this.#takeSlot(sessionId, signal)
    let live: LiveSession | null = null
    try {
      live = await this.#start(sessionId, purpose, signal, giveBack)
      return live
    } finally {
      if (!live) void this.#whenGone(sessionId).finally(giveBack)
    }
  }

  /** A setting of a session that is not live has changed: a process that is being started must not miss it. */
  noteChange(): void {
    this.#changes += 1
  }

  async #whenGone(sessionId: string): Promise<void> {
    await this.#members.get(sessionId)?.live.ended
    await this.#discarded.get(sessionId)
  }

  async #takeSlot(sessionId: string, signal: AbortSignal): Promise<() => void> {
    if (!this.#limit.isFull) return this.#limit.take(signal)
    this.#showCondition(sessionId, 'waiting_for_slot')
    try {
      return await this.#limit.take(signal)
    } finally {
      this.#showCondition(sessionId, null)
    }
  }

  /** Not awaited: while the store cannot be written, a wait must still be ended in time. */
  #showCondition(sessionId: string, condition: Condition | null): void {
    const { journal, onFault } = this.#deps
    journal.append(sessionId, [{ type: 'session.changed', data: { condition } }]).catch((error: unknown) => {
      if (!(error instanceof AppendRefused)) onFault(error)
    })
  }

  /**
   * Race: modes, options and trust can change at any moment. They are read after every wait, and once more when the process
   * is there: one that was started with others has been given nothing yet, and is replaced.
   */
  async #start(
    sessionId: string,
    purpose: Purpose,
    signal: AbortSignal,
    giveBack: () => void,
  ): Promise<LiveSession | null> {
    for (let settings = await this.#settingsOf(sessionId, purpose, signal); settings; ) {
      const opened = await this.#open(settings, purpose, signal)
      const started = keyOf(settings)
      for (;;) {
        const changes = this.#changes
        settings = await this.#settingsOf(sessionId, purpose, signal).catch((error: unknown) => {
          this.#discard(sessionId, Promise.resolve(opened))
          throw error
        })
        if (!settings || keyOf(settings) !== started) break
        // Without a wait between the look and the join: a later change finds a live session.
        if (changes === this.#changes && !signal.aborted)
          return this.#join({ ...opened, live: opened.begin(settings.session) }, giveBack)
      }
      this.#discard(sessionId, Promise.resolve(opened))
      await abortable(this.#whenGone(sessionId), signal)
    }
    return null
  }

  /** Ends a process that no session will use, as soon as it is there. */
  #discard(sessionId: string, opening: Promise<OpenedSession>): void {
    const gone = opening
      .then(
        (opened) => opened.discard(),
        () => {},
      )
      .catch(this.#deps.onFault)
      .finally(() => this.#discarded.delete(sessionId))
    this.#discarded.set(sessionId, gone)
  }

  /** The settings to start the process with now; null if it is not needed any more. */
  async #settingsOf(sessionId: string, purpose: Purpose, signal: AbortSignal): Promise<StartSettings | null> {
    const { store, journal } = this.#deps
    // Nothing is started that could not be recorded.
    for (let next = store.storage.nextTry(); next; next = store.storage.nextTry())
      await abortable(next, signal)
    const read = async () => {
      const stored = await store.options(sessionId)
      const trusted = await store.trustedWorkspaces()
      return { stored, trusted, session: await journal.session(sessionId) }
    }
    const { stored, trusted, session } = await abortable(read(), signal)
    if (!session || session.state === 'ended') return null
    if (purpose === 'message' && session.queue.length === 0) return null
    return { session, stored, trusted }
  }

  async #open(settings: StartSettings, purpose: Purpose, signal: AbortSignal): Promise<OpenedProcess> {
    const { configFolder, secrets, store } = this.#deps
    const learnSecrets = createLearnSecrets({ secrets, store })
    const { session, stored, trusted } = settings
    const prepare = async () => {
      const prepared = await prepareLaunch(session, stored, trusted, this.#deps)
      await learnSecrets(session, prepared.launch.options, prepared.launch.mcpServers)
      await refuseIfDriven(configFolder, prepared.launch.start.id, this.#pids)
      return prepared
    }
    const prepared = await abortable(prepare(), signal)
    const opening = this.#openProcess(session, prepared, purpose)
    try {
      return await abortable(opening, signal)
    } catch (error) {
      this.#discard(session.id, opening)
      throw error
    }
  }

  async #openProcess(session: Session, prepared: PreparedLaunch, purpose: Purpose): Promise<OpenedProcess> {
    const { configFolder, claude, journal, isCancelled } = this.#deps
    const { launch, problems, workspaceServers, trust } = prepared
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
    const opened = await openSession(
      { session, source: SOURCES[launch.start.kind], place, open: start, onActivity, isCancelled },
      this.#deps,
    )
    return {
      ...opened,
      trust,
      launch,
      begin: (newest) => {
        const live = opened.begin(newest)
        if (purpose === 'continue') live.expectTurn()
        for (const { code, message } of problems)
          live.write([{ type: 'error.raised', data: { code, message } }])
        if (launch.start.kind === 'new') this.#pool.refill(launch)
        return live
      },
    }
  }

  #join({ live, trust, launch }: Opened, giveBack: () => void): LiveSession {
    this.#members.set(live.id, { live, trust, launch, activeAt: this.#deps.clock.now() })
    live.ended
      .then(async (ending) => {
        if (this.#members.get(live.id)?.live === live) this.#members.delete(live.id)
        giveBack()
        await this.#deps.onEnded(live, ending)
      })
      .catch(this.#deps.onFault)
    return live
  }

  /** Every process is recorded before it does anything, so that another run of the daemon can end it. */
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
    this.recheck(sessionId)
  }

  /** A session that needs its process no more makes room for those that wait for one. */
  recheck(sessionId: string): void {
    if (this.#members.get(sessionId)?.live.isNeeded === false) this.#limit.recheck()
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
      this.#limit.recheck()
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
      if (live.isNeeded && !live.isEnding && isSilent) live.response.probe().catch(onFault)
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
    this.#cancelSweep()
    await Promise.all([
      this.#pool.close(),
      ...this.#discarded.values(),
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

/** Equal where a process that was started with one would be started with the other in the same way. */
function keyOf({ session, stored, trusted }: StartSettings): string {
  const { permissionMode, model, thinkingTokens, effort, resumeAt } = session
  const paths = trusted.map(({ path }) => path)
  return JSON.stringify([permissionMode, model, thinkingTokens, effort, resumeAt, stored, paths])
}

function continuing(launch: Launch): Launch {
  return { ...launch, env: { ...launch.env, CLAUDE_CODE_RESUME_INTERRUPTED_TURN: '1' } }
}
