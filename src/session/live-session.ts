/** A session with a process behind it: what goes in, what comes out, and how it ends. */

import type { Inbox } from '../inbox/inbox.js'
import type { Journal } from '../journal.js'
import type { Clock } from '../lib/clock.js'
import { type IdSource, uuidOf } from '../lib/id.js'
import type { DataOf } from '../protocol/event.js'
import type { Session } from '../protocol/session.js'
import type { Claude, ClaudeOptions, OpenClaude } from './claude-driver.js'
import { createGate } from './gate.js'
import { Recorder } from './recorder.js'
import { newTranslationState } from './translation.js'

export interface LiveSessionDeps {
  journal: Journal
  inbox: Inbox
  clock: Clock
  ids: IdSource
  openClaude: OpenClaude
  onFault(error: unknown): void
}

/** What the process needs to know besides the session itself. */
export type LaunchOptions = Pick<ClaudeOptions, 'env' | 'mark' | 'conversation' | 'onSpawn'>

/** How it ended. `isUseful`: the process had begun to work, so another one may take over what is still queued. */
export type Ending = { kind: 'stopped' } | { kind: 'crashed'; isUseful: boolean; error: string }

/** Rejects if the process can not even be tried. */
export async function openLiveSession(
  session: Session,
  launch: LaunchOptions,
  deps: LiveSessionDeps,
): Promise<LiveSession> {
  const { journal, clock } = deps
  const recorder = new Recorder(newTranslationState(session.costUsd), { sessionId: session.id, ...deps })
  const gate = createGate({
    sessionId: session.id,
    cwd: session.cwd,
    home: launch.env['HOME'] ?? '/',
    inbox: deps.inbox,
    now: () => new Date(clock.now()).toISOString(),
    current: async () => (await journal.session(session.id)) ?? session,
    judged: (judgement) => recorder.record({ kind: 'judged', judgement }),
  })
  const { cwd, model, permissionMode } = session
  const claude = await deps.openClaude({ cwd, model, permissionMode, ...launch, ...gate })
  return new LiveSession(session.id, claude, recorder, deps.inbox)
}

export class LiveSession {
  readonly id: string
  /** Settles when the process is gone and everything about it is stored. */
  readonly ended: Promise<Ending>
  readonly #claude: Claude
  readonly #recorder: Recorder
  readonly #inbox: Inbox
  #stopReason: string | null = null
  readonly #sent = new Set<string>()
  #hasEnded = false

  constructor(id: string, claude: Claude, recorder: Recorder, inbox: Inbox) {
    this.id = id
    this.#claude = claude
    this.#recorder = recorder
    this.#inbox = inbox
    recorder.write([{ type: 'session.changed', data: { process: 'live' } }])
    this.ended = this.#run()
  }

  /** Hands a message over; the same one again changes nothing. */
  send({ messageId, text, content, whenBusy }: DataOf<'message.queued'>): void {
    if (this.#sent.has(messageId)) return
    this.#sent.add(messageId)
    this.#claude.send({ uuid: uuidOf(messageId), content: content ?? text, whenBusy })
  }

  /** Whether the process is gone; `ended` settles soon after. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  get isWorking(): boolean {
    return this.#recorder.hasTurn
  }

  /** Stops the running turn. A process that ends meanwhile has stopped it as well. */
  async interrupt(): Promise<void> {
    try {
      await this.#claude.interrupt()
    } catch (error) {
      if (!this.#hasEnded) throw error
    }
  }

  /** Ends the process. What was being done is interrupted, not failed. */
  async stop(reason: string): Promise<void> {
    this.#stopReason ??= reason
    await this.#claude.close()
    await this.ended
  }

  async #run(): Promise<Ending> {
    let failure: string | null = null
    let isUseful = false
    try {
      for await (const message of this.#claude.messages) {
        isUseful ||= isInit(message)
        this.#recorder.record({ kind: 'sdk', message })
      }
    } catch (error) {
      failure = error instanceof Error ? error.message : 'unknown failure'
    }
    this.#hasEnded = true
    // Also after a crash: what the process has started may have outlived it.
    await this.#claude.close()
    const isStopped = this.#stopReason !== null
    const error = failure ?? 'The Claude Code process ended by itself.'
    await this.#inbox.withdraw(this.id, this.#stopReason ?? 'Claude Code ended before anybody answered.')
    this.#recorder.record({
      kind: 'closed',
      stopReason: isStopped ? 'interrupted' : 'crashed',
      errors: isStopped ? [] : [error, this.#claude.lastWords].filter((text) => text !== ''),
    })
    this.#recorder.write([{ type: 'session.changed', data: { process: 'none' } }])
    await this.#recorder.settled()
    return isStopped ? { kind: 'stopped' } : { kind: 'crashed', isUseful, error }
  }
}

function isInit(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'subtype' in message && message.subtype === 'init'
}
