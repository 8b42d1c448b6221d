/** `ClaudeCodeBuilder`: Claude Code as one provider among others, with unified messages in and unified events out. */

import { speak } from '../dialect/dialect.js'
import { type UnifiedEvent, unifiedDialect } from '../dialect/unified.js'
import type { Session } from '../library/session.js'
import { homeOf, type Signalbox, type SignalboxOptions } from '../library/signalbox.js'
import type { Billing } from '../protocol/dialect-name.js'
import { HubError } from '../protocol/error.js'
import type { SessionOptions } from '../protocol/option.js'
import type { Answer } from '../protocol/request.js'
import { PHASE_MODES, type Phase } from '../protocol/value.js'
import { type ExecutorContext, toolsIn } from './given-tools.js'
import { type BoxLease, leaseBox, wishesOf } from './shared-box.js'
import { stopTurn } from './stop-turn.js'
import { promptOf, type UnifiedMessage } from './unified-message.js'

export interface BuilderConfig extends SignalboxOptions {
  model?: string
  /** The folder to work in. Without it: the one of the process. */
  cwd?: string
  phase?: Phase
  /** How many steps a run may take. */
  maxLoopCount?: number
  /** Goes on with the conversation of the run before, as from one phase to the next. */
  continue?: boolean
  /** How long a permission waits for its answer. */
  permissionTimeoutMs?: number
  billing?: Billing
  options?: SessionOptions
}

/** Where a run tells what its watchers should see at once. */
export interface BuilderRun extends ExecutorContext {
  queue?: { broadcast(event: UnifiedEvent): void }
}

const DEFAULT_MODEL = 'claude-sonnet-4-5-20250929'
const PERMISSION_TIMEOUT_MS = 30_000

export class ClaudeCodeBuilder {
  readonly #config: BuilderConfig
  /** Aborts the running stream; null when none runs. */
  abortController: AbortController | null = null
  #lease: BoxLease | null = null
  #session: Session | null = null
  readonly #pending = new Set<string>()
  /** Of the tools that its session has. */
  #toolNames = ''

  constructor(config: BuilderConfig = {}) {
    this.#config = config
  }

  async *stream(
    messages: readonly UnifiedMessage[],
    tools: unknown = [],
    config: BuilderConfig = {},
    run: BuilderRun = {},
  ): AsyncGenerator<UnifiedEvent> {
    const settings = { ...this.#config, ...config }
    const abortController = new AbortController()
    this.abortController = abortController
    const { signal } = abortController
    const session = await this.#open(settings, tools, run)
    this.#session = session
    const onAbort = () => void stopTurn(session)
    signal.addEventListener('abort', onAbort, { once: true })
    let isTold = false
    try {
      if (!signal.aborted) await session.send(promptOf(messages), { whenBusy: 'queue' })
      const tell = speak(unifiedDialect(settings.billing))
      for await (const event of signal.aborted ? [] : session.stream()) {
        isTold = event.type === 'turn.ended'
        if (event.type === 'permission.requested') this.#pending.add(event.data.requestId)
        if (event.type === 'permission.resolved') this.#pending.delete(event.data.requestId)
        for (const theirs of tell(event)) {
          if (BROADCAST.has(theirs.type)) run.queue?.broadcast(theirs)
          yield theirs
        }
      }
      // Where it was ended from outside, its turn may never have said so.
      if (!isTold && signal.aborted) yield ABORTED
    } finally {
      signal.removeEventListener('abort', onAbort)
      if (this.abortController === abortController) this.abortController = null
    }
  }

  /** The first answer counts; one that comes too late, or for another input, changes nothing. */
  handlePermissionResponse(
    requestId: string,
    decision: 'allow' | 'deny',
    updatedInput?: Record<string, unknown>,
  ): void {
    const given: Answer =
      decision === 'allow'
        ? { decision, ...(updatedInput && { updatedInput }) }
        : { decision: 'deny', message: 'User denied' }
    void answer(this.#lease, requestId, given)
  }

  /** Ends what runs, and denies what waits. Need not be waited for. */
  async cleanup(): Promise<void> {
    const { abortController } = this
    const lease = this.#lease
    this.abortController = null
    this.#lease = null
    this.#session = null
    // With an interrupt: a turn that goes on with the denial would ask the model once more.
    const denial: Answer = { decision: 'deny', message: 'Provider cleanup', interrupt: true }
    await Promise.all([...this.#pending].map((requestId) => answer(lease, requestId, denial)))
    abortController?.abort()
    await lease?.release()
  }

  async #open(config: BuilderConfig, given: unknown, bound: ExecutorContext): Promise<Session> {
    const box = await this.#box(config)
    const tools = toolsIn(given, bound, new Set(box.tools.list().map(({ name }) => name)))
    const { model = DEFAULT_MODEL, cwd = process.cwd(), phase = 'execution', maxLoopCount } = config
    const permissionMode = PHASE_MODES[phase]
    const options: SessionOptions = {
      ...config.options,
      ...(maxLoopCount !== undefined && { maxTurns: maxLoopCount }),
    }
    const names = tools.map(({ name }) => name).join()
    const before = config.continue ? this.#session : null
    if (!before) this.#toolNames = names
    if (!before) return box.sessions.create({ cwd, model, permissionMode, options }, { tools })
    box.sessions.giveTools(before.id, tools)
    const { model: hasModel, options: has } = await before.snapshot()
    await before.change({
      permissionMode,
      ...(hasModel !== model && { model }),
      // Other options or tools need another process.
      ...((has.maxTurns !== options.maxTurns || names !== this.#toolNames) && { options }),
    })
    this.#toolNames = names
    return before
  }

  #box(config: BuilderConfig): Promise<Signalbox> {
    const { scripted, env, who, onFault } = config
    const options: SignalboxOptions = {
      ...(scripted !== undefined && { scripted }),
      ...(env && { env }),
      ...(who !== undefined && { who }),
      ...(onFault && { onFault }),
      config: boxConfig(config),
    }
    this.#lease ??= leaseBox({ ...options, home: homeFor(config, options) })
    return this.#lease.box
  }
}

/** Never rejects: who answers too late has no use for a failure, and a request that is not answered is denied. */
async function answer(lease: BoxLease | null, requestId: string, given: Answer): Promise<void> {
  try {
    await (await lease?.box)?.inbox.answer(requestId, given)
  } catch (error) {
    if (!(error instanceof HubError)) process.emitWarning(error instanceof Error ? error : String(error))
  }
}

/** Builders with options of their own have a home of their own, unless they name one. */
function homeFor(config: BuilderConfig, options: SignalboxOptions): string {
  const isPlain = wishesOf(options) === wishesOf({ config: boxConfig({}) })
  return homeOf(config, isPlain ? 'builder' : `builder-${wishesOf(options).slice(0, 8)}`)
}

function boxConfig({ permissionTimeoutMs = PERMISSION_TIMEOUT_MS, config }: BuilderConfig) {
  return { warm: 0, parkAfterMs: 5_000, permissionTimeoutMs, ...config }
}

const ABORTED: UnifiedEvent = { type: 'error', payload: { message: 'Query aborted by user' } }

const BROADCAST: ReadonlySet<UnifiedEvent['type']> = new Set([
  'tool_start',
  'tool_result',
  'permission_request',
])
