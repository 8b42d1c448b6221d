/** The command hooks of one live session: run, recorded, and all ended when it ends. */

import { randomUUID } from 'node:crypto'
import { type CommandHooks, createCommandHooks } from '../../hook/command-hooks.js'
import { type HookEvent, type HookSettings, hooksFor } from '../../hook/settings.js'
import { type HookVerdict, type SdkHookOutput, sdkOutputOf } from '../../hook/verdict.js'
import type { IdSource } from '../../lib/id.js'
import { asCount, asText, type Loose } from '../../lib/read-json.js'
import type { EventDraft } from '../../protocol/event/event.js'
import type { HookedEvent } from '../claude/port.js'
import { MARK } from '../claude/process-identity.js'
import { reap } from '../claude/reaper.js'

/** Dependencies of the hooks of all sessions. */
export interface HookDeps {
  settings: HookSettings
  /** The environment of the programs: nothing else of this process gets there. */
  env: Readonly<Record<string, string>>
  scratchFolder: string
}

/** How a session's process was started, as hooks receive it. */
export type StartSource = 'startup' | 'resume' | 'fork'

export interface SessionHooksDeps extends HookDeps {
  cwd: string
  source: StartSource
  ids: IdSource
  /** Distinguishes the processes of this home from those of another. */
  mark: string
  /** Writes events, in order with the messages of the CLI. */
  write(drafts: readonly EventDraft[]): void
  /** A tool has run, for as long as the CLI reports. */
  ran(toolUseId: string, durationMs: number): void
  /**
   * Compares a call that has ended with the one that was to run: returns the event for other hooks, and a
   * line for the agent.
   */
  afterCall(event: Loose): { event: Loose; note: string | null }
  /** Whether the task has ended with this call. */
  hasCompleted(toolUseId: string | null): boolean
}

/**
 * The CLI (2.1.325) does not report these to callbacks. We send them ourselves, around the first prompt and
 * at the end.
 */
const OURS_TO_TELL: readonly HookEvent[] = ['SessionStart', 'SessionEnd']

/** The events for which the CLI must call us back: those with hooks for this folder, and the end of tasks. */
export function hookedEvents(settings: HookSettings, cwd: string): HookedEvent[] {
  const own = hooksFor(settings, cwd)
  const { has, maxMs } = createCommandHooks({ ...IDLE, settings: own, workspace: cwd })
  const events = (Object.keys(own) as HookEvent[])
    .filter(has)
    .map((event): HookedEvent => ({ event, timeoutMs: maxMs(event) }))
  const needs = (event: HookEvent) => !events.some((hooked) => hooked.event === event)
  // The ends of our own tools, of commands in the jail, and of calls that change files.
  const matcher = 'Bash|Edit|Write|MultiEdit|NotebookEdit|mcp__.*'
  if (needs('PostToolUse')) events.push({ event: 'PostToolUse', matcher, timeoutMs: 0 })
  if (needs('PostToolUseFailure')) events.push({ event: 'PostToolUseFailure', matcher, timeoutMs: 0 })
  if (needs('UserPromptSubmit') && OURS_TO_TELL.some(has))
    events.push({ event: 'UserPromptSubmit', timeoutMs: maxMs('SessionStart') })
  return events
}

const IDLE = { env: {}, scratchFolder: '/', newId: () => '', onStarted: () => {}, onEnded: () => {} }

export class SessionHooks {
  readonly #deps: SessionHooksDeps
  readonly #hooks: CommandHooks
  readonly #mark: string
  readonly #ended = new AbortController()
  readonly #running = new Set<Promise<unknown>>()
  /** Fields common to all events of this session; null before the first prompt. */
  #common: Loose | null = null
  #hasRun = false

  constructor(deps: SessionHooksDeps) {
    this.#deps = deps
    const { settings, cwd, ids, write, env, scratchFolder } = deps
    this.#mark = `${deps.mark}/${randomUUID()}`
    this.#hooks = createCommandHooks({
      settings: hooksFor(settings, cwd),
      workspace: cwd,
      env: { ...env, [MARK]: this.#mark },
      scratchFolder,
      newId: () => ids.next('hok'),
      onStarted: (data) => write([{ type: 'hook.started', data }]),
      onEnded: (data) => write([{ type: 'hook.ended', data }]),
    })
  }

  willRun(input: Loose): boolean {
    return this.#hooks.willRun(input)
  }

  run(input: Loose, signal: AbortSignal): Promise<HookVerdict> {
    this.#hasRun ||= this.willRun(input)
    const running = this.#hooks.run(input, AbortSignal.any([signal, this.#ended.signal]))
    const settled = running.catch(() => {}).finally(() => this.#running.delete(settled))
    this.#running.add(settled)
    return running
  }

  /** Everything but what comes before a tool call, which is the gate's. */
  async answer(event: HookEvent, told: Loose, signal: AbortSignal): Promise<SdkHookOutput> {
    const isAfter = event === 'PostToolUse' || event === 'PostToolUseFailure'
    const { event: input, note } = isAfter ? this.#deps.afterCall(told) : { event: told, note: null }
    if (isAfter) this.#noteRun(input)
    const isFirst = event === 'UserPromptSubmit' && this.#common === null
    if (isFirst) this.#common = commonOf(input)
    const started = isFirst ? await this.#tellStart(signal) : null
    const verdict = withNote(await this.run(input, signal), note)
    const output = sdkOutputOf(event, started ? joined(started, verdict) : verdict)
    const isDone =
      event === 'PostToolUse' &&
      asText(input['agent_id']) === null &&
      this.#deps.hasCompleted(asText(input['tool_use_id']))
    return isDone ? { ...output, continue: false, stopReason: 'The task has ended.' } : output
  }

  #noteRun(input: Loose): void {
    const toolUseId = asText(input['tool_use_id'])
    const durationMs = asCount(input['duration_ms'])
    if (toolUseId !== null && durationMs !== null) this.#deps.ran(toolUseId, durationMs)
  }

  #tellStart(signal: AbortSignal): Promise<HookVerdict> {
    const told = { ...this.#common, hook_event_name: 'SessionStart', source: this.#deps.source }
    return this.run(told, signal)
  }

  /** Cancels running hooks, runs the SessionEnd hooks, and leaves no process behind. Idempotent. */
  async end(): Promise<void> {
    this.#ended.abort()
    await Promise.all(this.#running)
    const common = this.#common
    this.#common = null
    if (common !== null) {
      const told = { ...common, hook_event_name: 'SessionEnd', reason: 'other' }
      if (this.#hooks.willRun(told)) await this.#hooks.run(told, new AbortController().signal)
    }
    if (this.#hasRun) await reap(this.#mark)
  }
}

function withNote(verdict: HookVerdict, note: string | null): HookVerdict {
  if (note === null) return verdict
  return { ...verdict, context: verdict.context === null ? note : `${note}\n${verdict.context}` }
}

function commonOf({ session_id, transcript_path, cwd }: Loose): Loose {
  return { session_id, transcript_path, cwd }
}

/** Context from the start of the session comes before context from its first prompt. */
function joined(start: HookVerdict, prompt: HookVerdict): HookVerdict {
  const texts = [start.context, prompt.context].filter((text) => text !== null)
  const messages = [start.systemMessage, prompt.systemMessage].filter((text) => text !== null)
  return {
    ...prompt,
    context: texts.join('\n') || null,
    systemMessage: messages.join('\n') || null,
  }
}
