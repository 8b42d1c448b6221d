/** `ClaudeCodeBuilder`: Claude Code as one provider among others, with unified messages in and unified events out. */

import { speak } from '../dialect/dialect.js'
import { type UnifiedEvent, unifiedDialect } from '../dialect/unified.js'
import type { Session } from '../embed/session.js'
import { homeOf, type Signalbox, type SignalboxOptions, warn } from '../embed/signalbox.js'
import type { Billing } from '../protocol/dialect-name.js'
import { HubError } from '../protocol/error.js'
import type { Delta, SessionEvent } from '../protocol/event/event.js'
import type { FormContent } from '../protocol/form/form.js'
import type { SessionOptions } from '../protocol/option/option.js'
import type { Answer, RequestTimeouts } from '../protocol/request.js'
import { type Answers, type ContentBlock, PHASE_MODES, type Phase, type Question } from '../protocol/value.js'
import type { Tool } from '../tool/tool.js'
import { type ExecutorContext, toolsIn } from './given-tools.js'
import { leaseSignalbox, optionsKeyOf, type SignalboxLease } from './shared-signalbox.js'
import { stopTurn } from './stop-turn.js'
import { promptOf, type UnifiedMessage } from './unified-message.js'

export interface BuilderConfig extends SignalboxOptions {
  model?: string
  /** The folder to work in. Without it: the one of the process. */
  cwd?: string
  phase?: Phase
  /** How many steps a run may take. */
  maxLoopCount?: number
  /** Resumes the conversation of the run before; in a builder without one, the newest that was held in the folder. */
  continue?: boolean
  /** How long a permission waits for its answer: 30 s if not given. 0: for ever. */
  permissionTimeoutMs?: number
  /** How long a question waits for its answer: as long as a permission if not given. 0: for ever. */
  questionTimeoutMs?: number
  billing?: Billing
  options?: SessionOptions
}

/** Channel on which a run broadcasts events to its watchers at once. */
export interface BuilderRun extends ExecutorContext {
  queue?: { broadcast(event: UnifiedEvent): void }
}

const DEFAULT_MODEL = 'claude-sonnet-4-5-20250929'
const TIMEOUT_MS = 30_000

/** A request of a run that waits for its answer. */
interface PendingRequest {
  readonly signalbox: Promise<Signalbox>
  readonly session: Session
  readonly kind: 'permission' | 'question' | 'form'
  readonly questions: readonly Question[]
}

/** A Signalbox that runs of this builder use. */
interface UsedSignalbox extends SignalboxLease {
  /** Of the home and the options that it was opened with. */
  readonly key: string
  runs: number
}

export class ClaudeCodeBuilder {
  readonly #config: BuilderConfig
  /** Aborts the running stream; null when none runs. */
  abortController: AbortController | null = null
  /** Runs with other options of the Signalbox (`home`, `config`, `env`, `scripted`, `who`) use another one. */
  #signalboxes: UsedSignalbox[] = []
  #cleaning: Promise<unknown> = Promise.resolve()
  #session: { session: Session; used: UsedSignalbox } | null = null
  readonly #pending = new Map<string, PendingRequest>()
  /** Of the tools that its session has. */
  #toolNames: string | null = null

  constructor(config: BuilderConfig = {}) {
    this.#config = config
  }

  /** Leaving the loop early stops the run. */
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
    const used = await this.#use(settings)
    try {
      const session = await this.#open(used, settings, tools, run)
      this.#session = { session, used }
      yield* this.#run(session, used, promptOf(messages), { settings, run, signal })
    } finally {
      used.runs -= 1
      if (this.abortController === abortController) this.abortController = null
    }
  }

  async *#run(
    session: Session,
    { signalbox }: UsedSignalbox,
    prompt: string | ContentBlock[],
    { settings, run, signal }: { settings: BuilderConfig; run: BuilderRun; signal: AbortSignal },
  ): AsyncGenerator<UnifiedEvent> {
    const onAbort = () => void stopTurn(session)
    signal.addEventListener('abort', onAbort, { once: true })
    let isTold = false
    let isOver = signal.aborted
    try {
      if (!signal.aborted) await session.send(prompt, { whenBusy: 'queue' })
      const tell = speak(unifiedDialect(settings.billing))
      for await (const event of signal.aborted ? [] : session.stream()) {
        isTold = event.type === 'turn.ended'
        this.#note(event, signalbox, session)
        for (const theirs of tell(event)) {
          if (BROADCAST.has(theirs.type)) run.queue?.broadcast(theirs)
          yield theirs
        }
      }
      isOver = true
      // Where it was ended from outside, its turn may never have said so.
      if (!isTold && signal.aborted) yield ABORTED
    } finally {
      signal.removeEventListener('abort', onAbort)
      // The reader has left: a run that no client sees must not act.
      if (!isOver && !isTold && !signal.aborted) await stopTurn(session)
    }
  }

  #note(event: SessionEvent | Delta, signalbox: Promise<Signalbox>, session: Session): void {
    if (event.type === 'permission.requested')
      this.#pending.set(event.data.requestId, { signalbox, session, kind: 'permission', questions: [] })
    if (event.type === 'question.requested') {
      const { requestId, form, questions } = event.data
      this.#pending.set(requestId, { signalbox, session, kind: form ? 'form' : 'question', questions })
    }
    if (event.type === 'permission.resolved' || event.type === 'question.resolved')
      this.#pending.delete(event.data.requestId)
  }

  /** The first answer counts; one that comes too late, or for another input, changes nothing. */
  handlePermissionResponse(
    requestId: string,
    decision: 'allow' | 'deny',
    updatedInput?: Record<string, unknown>,
  ): void {
    void this.#answer(
      requestId,
      decision === 'allow'
        ? { decision, ...(updatedInput && { updatedInput }) }
        : { decision: 'deny', message: 'User denied' },
    )
  }

  /**
   * Answers a `question_request`. One text or several options answer the first question; a record answers each by its
   * text, or holds the values of a form; null declines. The first answer counts, as with permissions.
   */
  handleQuestionResponse(requestId: string, answer: string | string[] | FormContent | null): void {
    const { kind, questions = [] } = this.#pending.get(requestId) ?? {}
    const isOne = typeof answer === 'string' || Array.isArray(answer)
    const record = isOne ? { [questions[0]?.question ?? '']: answer } : answer
    void this.#answer(requestId, answerOf(kind === 'form', record))
  }

  /** Never rejects: who answers too late has no use for a failure, and a request that is not answered is denied. */
  async #answer(requestId: string, given: Answer): Promise<void> {
    try {
      await (await this.#pending.get(requestId)?.signalbox)?.inbox.answer(requestId, given)
    } catch (error) {
      const isLate = error instanceof HubError && error.code !== 'answer_invalid'
      if (!isLate) this.#warn(error)
    }
  }

  /** Stops running turns, and denies pending requests. Need not be awaited. */
  async cleanup(): Promise<void> {
    const earlier = this.#cleaning
    const own = this.#release()
    this.#cleaning = Promise.allSettled([earlier, own])
    await own
    // A call that is still at work has the processes that this one does not see any more.
    await earlier
  }

  async #release(): Promise<void> {
    const { abortController } = this
    const signalboxes = this.#signalboxes
    this.abortController = null
    this.#signalboxes = []
    this.#session = null
    // With an interrupt: a turn that continued after the denial would call the model once more.
    const denial: Answer = { decision: 'deny', message: 'Provider cleanup', interrupt: true }
    await Promise.all(
      [...this.#pending].map(([requestId, { kind, session }]) =>
        kind === 'permission' ? this.#answer(requestId, denial) : stopTurn(session),
      ),
    )
    abortController?.abort()
    await Promise.all(signalboxes.map((used) => used.release()))
  }

  async #open(
    used: UsedSignalbox,
    config: BuilderConfig,
    given: unknown,
    bound: ExecutorContext,
  ): Promise<Session> {
    const signalbox = await this.#opened(used)
    const tools = this.#toolsFor(signalbox, config, given, bound)
    const timeouts = timeoutsOf(config)
    const { model = DEFAULT_MODEL, cwd = process.cwd(), phase = 'execution', maxLoopCount } = config
    const permissionMode = PHASE_MODES[phase]
    const options: SessionOptions = {
      ...config.options,
      ...(maxLoopCount !== undefined && { maxTurns: maxLoopCount }),
    }
    const names = tools.map(({ name }) => name).join()
    const before = config.continue ? await this.#continued(used, signalbox, cwd) : null
    if (!before) {
      this.#toolNames = names
      return signalbox.sessions.create({ cwd, model, permissionMode, options }, { tools, timeouts })
    }
    signalbox.sessions.giveTools(before.id, tools)
    signalbox.sessions.setTimeouts(before.id, timeouts)
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

  /** A Signalbox that could not be opened is not tried again with the next run. */
  async #opened(used: UsedSignalbox): Promise<Signalbox> {
    try {
      return await used.signalbox
    } catch (error) {
      this.#signalboxes = this.#signalboxes.filter((other) => other !== used)
      await used.release()
      throw error
    }
  }

  /** The session of the run before; else the newest conversation of the folder, as the option of the SDK has it; null if there is none. */
  async #continued(used: UsedSignalbox, signalbox: Signalbox, cwd: string): Promise<Session | null> {
    if (this.#session?.used === used) return this.#session.session
    try {
      const { id } = await signalbox.sessions.create({ cwd, continue: true })
      return await signalbox.sessions.resume(id)
    } catch (error) {
      if (error instanceof HubError && error.code === 'conversation_not_found') return null
      throw error
    }
  }

  /** Those of the configuration, and those of the run, which replace others of their name. */
  #toolsFor(signalbox: Signalbox, config: BuilderConfig, given: unknown, bound: ExecutorContext): Tool[] {
    const deps = {
      bound,
      builtIn: signalbox.tools.list(),
      onLeftOut: (name: string) =>
        this.#warn(new Error(`The tool ${name} has no schema of zod 4, so agents do not see it.`), config),
    }
    const tools = [...toolsIn(config.tools, deps), ...toolsIn(given, deps)]
    return [...new Map(tools.map((tool) => [tool.name, tool])).values()]
  }

  #warn(error: unknown, { onFault = warn }: BuilderConfig = this.#config): void {
    onFault(error)
  }

  /** The Signalbox for these options. Signalboxes with other options that no run uses are closed, so that a named home is free. */
  async #use(config: BuilderConfig): Promise<UsedSignalbox> {
    const { scripted, env, who, onFault } = config
    const options: SignalboxOptions = {
      ...(scripted !== undefined && { scripted }),
      ...(env && { env }),
      ...(who !== undefined && { who }),
      ...(onFault && { onFault }),
      config: boxConfig(config),
    }
    const home = homeFor(config, options)
    const key = `${home}\n${optionsKeyOf(options)}`
    const known = this.#signalboxes.find((used) => used.key === key)
    if (known) {
      known.runs += 1
      return known
    }
    const idle = this.#signalboxes.filter(({ runs }) => runs === 0)
    this.#signalboxes = this.#signalboxes.filter(({ runs }) => runs > 0)
    const freed = Promise.all(idle.map((used) => used.release()))
    const used: UsedSignalbox = { ...leaseSignalbox({ ...options, home }), key, runs: 1 }
    this.#signalboxes.push(used)
    await freed
    return used
  }
}

/** `record`: the answers by question, or the values of a form; null declines. */
function answerOf(isForm: boolean, record: FormContent | null): Answer {
  if (record === null) return { decision: 'deny', message: 'User declined to answer' }
  if (isForm) return { action: 'accept', content: record }
  const answers = Object.entries(record).map(([question, value]) => [
    question,
    Array.isArray(value) ? value : String(value),
  ])
  return { answers: Object.fromEntries(answers) as Answers } // Of the texts that were just made.
}

/** Builders with options of their own have a home of their own, unless they name one. */
function homeFor(config: BuilderConfig, options: SignalboxOptions): string {
  const isPlain = optionsKeyOf(options) === optionsKeyOf({ config: boxConfig({}) })
  return homeOf(config, isPlain ? 'builder' : `builder-${optionsKeyOf(options).slice(0, 8)}`)
}

/** Without the timeouts: those are kept for each session. */
function boxConfig({ config }: BuilderConfig) {
  const { permissionTimeoutMs: _, questionTimeoutMs: __, ...rest } = config ?? {}
  return { warm: 0, parkAfterMs: 5_000, ...rest }
}

function timeoutsOf({ permissionTimeoutMs, questionTimeoutMs, config = {} }: BuilderConfig): RequestTimeouts {
  const permission = permissionTimeoutMs ?? config.permissionTimeoutMs ?? TIMEOUT_MS
  const question = questionTimeoutMs ?? config.questionTimeoutMs ?? permission
  return { permissionTimeoutMs: permission, questionTimeoutMs: question }
}

const ABORTED: UnifiedEvent = { type: 'error', payload: { message: 'Query aborted by user' } }

const BROADCAST: ReadonlySet<UnifiedEvent['type']> = new Set([
  'tool_start',
  'tool_result',
  'permission_request',
  'question_request',
])
