/**
 * Starts the process of a session with the settings in force. It is given nothing before they were read once more, and is
 * replaced if they have changed.
 */

import { abortable } from '../lib/abortable.js'
import { uuidOf } from '../lib/id.js'
import type { StoredOptions } from '../protocol/option/option-role.js'
import type { Session } from '../protocol/session.js'
import type { RunnerStore } from '../store/port/runner-store.js'
import { readInput, sentMessages } from './attach/input-journal.js'
import type { LeftLaunch } from './attach/left-process.js'
import type { ProcessRegistry } from './attach/process-registry.js'
import { streamedDelta } from './attach/streamed-block.js'
import type { ClaudeCallbacks, ClaudePort, Launch } from './claude/port.js'
import { inputObstacle } from './gate/replaced-input.js'
import { secretsOfFolder } from './gate/touched-secret.js'
import { INPUT_FILE, OUTPUT_FILE } from './keeper/keeper-protocol.js'
import { type LaunchSettings, type PreparedLaunch, prepareLaunch, refuseIfDriven } from './launch.js'
import type { LiveSession } from './live-session.js'
import { type OpenedSession, type Opening, type OpenSessionDeps, openSession } from './open-session.js'
import { createLearnSecrets } from './session-secrets.js'
import type { TranslationState } from './translate/state.js'
import type { Trust } from './trust.js'
import type { WarmPool } from './warm-pool.js'

export interface ProcessStartDeps extends OpenSessionDeps, LaunchSettings, Pick<Opening, 'isCancelled'> {
  store: RunnerStore
  claude: ClaudePort
  pool: WarmPool
  processes: ProcessRegistry
  /** Something has happened in a session. */
  onActivity(sessionId: string): void
}

export interface Started {
  live: LiveSession
  /** The parts of its workspace that take effect in it. */
  trust: Trust
  launch: Launch
}

/**
 * Why a process is started: for a queued message, to continue a turn that was cut off, or for a command that
 * needs a process.
 */
export type Purpose = 'message' | 'continue' | 'command'

/** The settings that a process is started with, read at one point in time. */
interface StartSettings {
  session: Session
  stored: StoredOptions
  /** Folders that are trusted. */
  trusted: readonly { readonly path: string }[]
}

/** A process that no session uses yet, and what it was started with. */
type OpenedProcess = OpenedSession & Omit<Started, 'live'>

export class ProcessStart {
  readonly #deps: ProcessStartDeps
  /** Discarded processes: started for nothing, and not gone yet. */
  readonly #discarded = new Map<string, Promise<void>>()
  /** Counts changes of settings, so that a start can see whether there was one. */
  #changes = 0

  constructor(deps: ProcessStartDeps) {
    this.#deps = deps
  }

  /** A setting of a session that is not live has changed: a process that is being started must not miss it. */
  noteChange(): void {
    this.#changes += 1
  }

  /** Resolves when the discarded processes of the session are gone. */
  async whenDiscarded(sessionId: string): Promise<void> {
    await this.#discarded.get(sessionId)
  }

  /**
   * Race: modes, options and trust can change at any moment. They are read after every wait, and once more when the process
   * is there: one that was started with others has been given nothing yet, and is replaced.
   */
  async start(
    sessionId: string,
    purpose: Purpose,
    signal: AbortSignal,
    join: (started: Started) => LiveSession,
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
          return join({ ...opened, live: opened.begin(settings.session) })
      }
      this.#discard(sessionId, Promise.resolve(opened))
      await abortable(this.whenDiscarded(sessionId), signal)
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
    const { configFolder, processes } = this.#deps
    const { session, stored, trusted } = settings
    const prepare = async () => {
      const prepared = await this.#prepare(session, stored, trusted)
      await refuseIfDriven(configFolder, prepared.launch.start.id, processes.pids)
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

  /** Attaches to the process that a previous run has left. Null if that cannot be done: then it must be ended. */
  async attach(
    left: LeftLaunch,
    signal: AbortSignal,
    join: (started: Started) => LiveSession,
  ): Promise<LiveSession | null> {
    const { sessionId, offset, state } = left.point
    const settings = await this.#settingsOf(sessionId, 'command', signal)
    if (!settings || !isLeftWorking(settings.session)) return null
    const { session, stored, trusted } = settings
    const prepared = await this.#prepare(session, stored, trusted)
    const opened = await this.#openProcess(session, prepared, 'command', left)
    // Before the session has the process: whatever fails, it is not both attached and recovered.
    const sent = new Set(sentMessages(readInput(left.folder.file(INPUT_FILE))))
    const { block } = state as TranslationState // As this version has stored it; another version is not attached to.
    const streamed = streamedDelta(left.folder.file(OUTPUT_FILE), offset, block)
    const live = join({ ...opened, live: opened.begin(session) })
    live.input.noteSent(session.queue.map(({ messageId }) => messageId).filter((id) => sent.has(uuidOf(id))))
    if (streamed) this.#deps.journal.publish(sessionId, streamed)
    return live
  }

  async #prepare(
    session: Session,
    stored: StoredOptions,
    trusted: readonly { readonly path: string }[],
  ): Promise<PreparedLaunch> {
    const { secrets, store } = this.#deps
    const learnSecrets = createLearnSecrets({ secrets, store, inFolder: secretsOfFolder })
    const prepared = await prepareLaunch(session, stored, trusted, this.#deps)
    await learnSecrets(session, prepared.launch.options, prepared.launch.mcpServers)
    return prepared
  }

  async #openProcess(
    session: Session,
    prepared: PreparedLaunch,
    purpose: Purpose,
    left: LeftLaunch | null = null,
  ): Promise<OpenedProcess> {
    const { configFolder, claude, journal, pool, processes, isCancelled, onActivity } = this.#deps
    const { launch, problems, workspaceServers, trust } = prepared
    const start = async (callbacks: ClaudeCallbacks) => {
      if (left) {
        const attached = await claude.attach?.(launch, callbacks, {
          ...processes.leftProcess(left.folder, left.mark),
          ...left,
          offset: left.point.offset,
        })
        if (attached) return attached
        throw new Error('The process of a previous run could not be attached to.')
      }
      if (purpose === 'continue')
        return claude.open(continuing(launch), callbacks, processes.newProcess(session.id))
      const spare = pool.take(launch)
      if (!spare) return claude.open(launch, callbacks, processes.newProcess(session.id))
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
    const opened = await openSession(
      {
        session,
        source: SOURCES[launch.start.kind],
        place,
        open: start,
        left: left && { offset: left.point.offset, state: left.point.state as TranslationState },
        isCancelled,
        onActivity: () => onActivity(session.id),
      },
      this.#deps,
    )
    return {
      ...opened,
      trust,
      launch,
      begin: (newest) => {
        const live = opened.begin(newest)
        if (left) return live
        if (purpose === 'continue') live.expectTurn()
        for (const { code, message } of problems)
          live.write([{ type: 'error.raised', data: { code, message } }])
        if (launch.start.kind === 'new') pool.refill(launch)
        return live
      },
    }
  }

  /** Resolves when all discarded processes are gone. */
  async close(): Promise<void> {
    await Promise.all(this.#discarded.values())
  }
}

/** One that is being stopped, or whose caller is gone, is ended as ever. */
function isLeftWorking({ kind, stopping, parentToolUseId }: Session): boolean {
  return kind === 'managed' && stopping === null && parentToolUseId === null
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
