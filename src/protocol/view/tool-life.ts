/** The lifecycle of each tool call, from its events: who decided, who was asked, how long each stage took. */

import type { ToolOutcome } from '../event/content-event.js'
import type { EventOf, EventType, SessionEvent } from '../event/event.js'

/** The event types that describe tool calls. */
export const TOOL_LIFE_EVENTS = [
  'tool.requested',
  'tool.started',
  'tool.progressed',
  'tool.ended',
  'hook.started',
  'hook.ended',
  'permission.requested',
  'permission.resolved',
  'question.requested',
  'question.resolved',
  'agent.started',
] as const satisfies readonly EventType[]

/** An interval in the lifecycle of a call. `durationMs` is null while it lasts. */
export interface Stage {
  /**
   * `judge`: until a decision or a request. `wait`: for the user. `run`: the tool. `hook`: a program before or after
   * it.
   */
  kind: 'judge' | 'hook' | 'wait' | 'run'
  startedAt: string
  durationMs: number | null
  /** The user or client that is waited for, or the hook's command. */
  label: string | null
  /** Outcome of the hook, or the answer. */
  outcome: string | null
}

export interface ToolLife {
  toolUseId: string
  name: string
  input: unknown
  /** The subagent that made the call. */
  agentId: string | null
  requestedAt: string
  /** Null until it ends. */
  outcome: ToolOutcome | null
  /** The decider that allowed or denied it. */
  by: string | null
  /** In order of start. Hooks overlap the other stages. */
  stages: Stage[]
  /** The last progress message. */
  progress: string | null
  /** The session of the agent that this call started. */
  childId: string | null
}

/** One entry per call, in order of request. Other events are ignored. */
export function toolLives(events: Iterable<SessionEvent>): ToolLife[] {
  const lives = new Map<string, ToolLife>()
  const hooks = new Map<string, Stage>()
  const waits = new Map<string, Stage>()
  for (const event of events) {
    switch (event.type) {
      case 'tool.requested':
        if (!lives.has(event.data.toolUseId)) lives.set(event.data.toolUseId, begin(event))
        break
      case 'hook.started':
        startHook(lives.get(event.data.toolUseId ?? ''), hooks, event)
        break
      case 'hook.ended':
        end(hooks.get(event.data.hookId), event.at, event.data.durationMs, event.data.outcome)
        break
      case 'permission.requested':
      case 'question.requested':
        startWait(lives.get(event.data.toolUseId ?? ''), waits, event)
        break
      case 'permission.resolved':
      case 'question.resolved':
        endWait(waits.get(event.data.requestId), event)
        break
      case 'tool.started':
        startRun(lives.get(event.data.toolUseId), event)
        break
      case 'tool.progressed':
        noteProgress(lives.get(event.data.toolUseId), event)
        break
      case 'agent.started':
        noteChild(lives.get(event.data.parentToolUseId ?? ''), event)
        break
      case 'tool.ended':
        endLife(lives.get(event.data.toolUseId), event)
        break
      default:
    }
  }
  return [...lives.values()]
}

/** Total time of a call in stages of a kind; null if it had none, or one is not over. */
export function timeIn(life: ToolLife, kind: Stage['kind']): number | null {
  let sum: number | null = null
  for (const { kind: own, durationMs } of life.stages) {
    if (own !== kind) continue
    if (durationMs === null) return null
    sum = (sum ?? 0) + durationMs
  }
  return sum
}

function begin({ at, data }: EventOf<'tool.requested'>): ToolLife {
  return {
    toolUseId: data.toolUseId,
    name: data.name,
    input: data.input,
    agentId: data.agentId ?? null,
    requestedAt: at,
    outcome: null,
    by: null,
    stages: [stage('judge', at)],
    progress: null,
    childId: null,
  }
}

function stage(kind: Stage['kind'], startedAt: string, label: string | null = null): Stage {
  return { kind, startedAt, durationMs: null, label, outcome: null }
}

function end(
  last: Stage | undefined,
  at: string,
  durationMs: number | null = null,
  outcome: string | null = null,
): void {
  if (!last || last.durationMs !== null) return
  last.durationMs = durationMs ?? Math.max(0, Date.parse(at) - Date.parse(last.startedAt))
  last.outcome = outcome
}

/** Ends open stages when the next one starts. Hooks run concurrently and stay open. */
function endOpen(life: ToolLife, at: string): void {
  for (const open of life.stages) if (open.kind !== 'hook') end(open, at)
}

function startHook(
  life: ToolLife | undefined,
  hooks: Map<string, Stage>,
  event: EventOf<'hook.started'>,
): void {
  if (!life) return
  // A hook that runs after the tool implies that the tool has ended.
  if (event.data.event.startsWith('Post')) endOpen(life, event.at)
  const hook = stage('hook', event.at, event.data.command)
  hooks.set(event.data.hookId, hook)
  life.stages.push(hook)
}

function startWait(
  life: ToolLife | undefined,
  waits: Map<string, Stage>,
  event: EventOf<'permission.requested' | 'question.requested'>,
): void {
  if (!life) return
  endOpen(life, event.at)
  const wait = stage('wait', event.at, 'a person')
  waits.set(event.data.requestId, wait)
  life.stages.push(wait)
}

function endWait(
  wait: Stage | undefined,
  { at, type, data }: EventOf<'permission.resolved' | 'question.resolved'>,
): void {
  if (!wait) return
  wait.label = data.who === null ? data.by : `${data.by}: ${data.who}`
  end(wait, at, null, type === 'permission.resolved' ? data.decision : 'answered')
}

function startRun(life: ToolLife | undefined, { at, data }: EventOf<'tool.started'>): void {
  if (!life) return
  endOpen(life, at)
  life.by = data.by ?? null
  life.stages.push(stage('run', at))
}

function noteProgress(life: ToolLife | undefined, { data }: EventOf<'tool.progressed'>): void {
  if (life && data.text !== undefined) life.progress = data.text
}

function noteChild(life: ToolLife | undefined, { data }: EventOf<'agent.started'>): void {
  if (life && data.agentId.startsWith('ses_')) life.childId = data.agentId
}

function endLife(life: ToolLife | undefined, { at, data }: EventOf<'tool.ended'>): void {
  if (!life) return
  const run = life.stages.find(({ kind }) => kind === 'run')
  if (run && data.durationMs !== null) run.durationMs = data.durationMs
  endOpen(life, at)
  life.outcome = data.outcome
  life.by = data.by ?? life.by
}
