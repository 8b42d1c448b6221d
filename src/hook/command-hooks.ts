/** Command hooks: programs of the user that run before and after actions of an agent. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asRecord, asText, type Loose } from '../lib/read-json.js'
import type { DataOf } from '../protocol/event/event.js'
import { hookEnvironment } from './environment.js'
import { type HookOutcome, judgeProgram } from './outcome.js'
import { runProgram } from './program.js'
import { type SelectedHook, selectHooks } from './select.js'
import { HookEvent, type HookSettings, timeoutMsOf } from './settings.js'
import { combineOutcomes, type HookVerdict, type NamedOutcome } from './verdict.js'

export interface CommandHookDeps {
  settings: HookSettings
  /** The session's workspace: `CLAUDE_PROJECT_DIR`, and where a hook runs if its event names no folder. */
  workspace: string
  /** Everything that the programs are given besides what is about their event. */
  env: Readonly<Record<string, string>>
  /** Where files for values that are too long for the environment are made. */
  scratchFolder: string
  newId(): string
  onStarted(started: DataOf<'hook.started'>): void
  onEnded(ended: DataOf<'hook.ended'>): void
}

export interface CommandHooks {
  has(event: HookEvent): boolean
  /** The longest that `run` can take: a caller should wait a little longer. */
  maxMs(event: HookEvent): number
  /** Whether `run` would start anything. */
  willRun(input: unknown): boolean
  /** Runs all hooks of an event at the same time. `input` is what Claude Code gives its own hooks. */
  run(input: unknown, signal: AbortSignal): Promise<HookVerdict>
}

/** Grace period for a program after SIGTERM, and for its output. */
const END_MS = 5_000

export function createCommandHooks(deps: CommandHookDeps): CommandHooks {
  const { settings } = deps
  const configured = (event: HookEvent) => (settings[event] ?? []).flatMap(({ hooks }) => hooks)
  return {
    has: (event) => configured(event).length > 0,
    maxMs: (event) => Math.max(0, ...configured(event).map((hook) => timeoutMsOf(event, hook) + END_MS)),
    willRun: (input) => chosen(input) !== null,
    async run(input, signal) {
      const choice = chosen(input)
      if (choice === null) return combineOutcomes([])
      return combineOutcomes(await runAll(choice.hooks, choice.event, asRecord(input), signal, deps))
    },
  }

  function chosen(input: unknown): { event: HookEvent; hooks: SelectedHook[] } | null {
    const facts = asRecord(input)
    const event = HookEvent.safeParse(facts['hook_event_name'])
    const hooks = event.success ? selectHooks(settings, event.data, facts) : []
    return event.success && hooks.length > 0 ? { event: event.data, hooks } : null
  }
}

/** In the order in which they have ended. */
async function runAll(
  hooks: readonly SelectedHook[],
  event: HookEvent,
  input: Loose,
  signal: AbortSignal,
  deps: CommandHookDeps,
): Promise<NamedOutcome[]> {
  const { env, cut } = hookEnvironment(deps.env, event, input, deps.workspace)
  const folder = cut.length > 0 ? await mkdtemp(join(deps.scratchFolder, 'hook-')) : null
  try {
    const files: Record<string, string> = {}
    for (const { fileVariable, text } of folder === null ? [] : cut) {
      const file = join(folder ?? '', fileVariable.toLowerCase())
      await writeFile(file, text, { mode: 0o600 })
      files[fileVariable] = file
    }
    const outcomes: NamedOutcome[] = []
    const run = async (hook: SelectedHook) => {
      const outcome = await runHook(hook, event, input, { ...env, ...files }, signal, deps)
      outcomes.push({ ...outcome, command: shown(hook) })
    }
    await Promise.all(hooks.map(run))
    return outcomes
  } finally {
    if (folder !== null) await rm(folder, { recursive: true, force: true })
  }
}

function shown({ command, args }: Pick<SelectedHook, 'command' | 'args'>): string {
  return args === null ? command : [command, ...args].join(' ')
}

async function runHook(
  { command, args, timeoutMs, onFailure, matcher }: SelectedHook,
  event: HookEvent,
  input: Loose,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
  { workspace, newId, onStarted, onEnded }: CommandHookDeps,
): Promise<HookOutcome> {
  const hookId = newId()
  const toolUseId = asText(input['tool_use_id'])
  onStarted({
    hookId,
    command: shown({ command, args }),
    event,
    ...(matcher !== null && { matcher }),
    ...(toolUseId !== null && { toolUseId }),
  })
  const cwd = asText(input['cwd']) ?? workspace
  const result = await runProgram({
    command,
    args,
    cwd,
    env,
    input: JSON.stringify(input),
    timeoutMs,
    signal,
  })
  const judged = judgeProgram(event, result, onFailure)
  const { outcome, exitCode, message } = judged
  onEnded({
    hookId,
    exitCode,
    outcome,
    ...(message !== null && { message }),
    durationMs: result.durationMs,
  })
  return judged
}
