/** The life of each tool call, from its events: who judged it, whom it waited for, how long each stage took. */

import type { ToolOutcome } from '../event/content-event.js'
import type { EventOf, EventType, SessionEvent } from '../event/event.js'

/** What of a log tells about tool calls. */
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

/** A stretch of time in the life of a call. Those that still last have no duration. */
export interface Stage {
  /** `judge`: until it is decided or asked. `wait`: for a person. `run`: the tool itself. `hook`: a program, before or after. */
  kind: 'judge' | 'hook' | 'wait' | 'run'
  startedAt: string
  durationMs: number | null
  /** Who is waited for, or the hook's command. */
  label: string | null
  /** How it came out: of a hook, or what was answered. */
  outcome: string | null
}

export interface ToolLife {
  toolUseId: string
  name: string
  input: unknown
  /** The subagent that calls. */
  agentId: string | null
  requestedAt: string
  /** Null while it has not ended. */
  outcome: ToolOutcome | null
  /** Who let it run, or refused it. */
  by: string | null
  /** In the order in which they began; those of hooks lie within or beside the others. */
  stages: Stage[]
  /** The last word about how far it is. */
  progress: string | null
  /** The session that an agent has called with it. */
  childId: string | null
}

/** In the order in which the calls were made. Events of other kinds are passed over. */
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

/** How long a call spent in all stages of a kind; null if it had none, or the last of them still lasts. */
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

/** What was going on is over when the next thing begins; hooks go on beside it. */
function endOpen(life: ToolLife, at: string): void {
  for (const open of life.stages) if (open.kind !== 'hook') end(open, at)
}

function startHook(
  life: ToolLife | undefined,
  hooks: Map<string, Stage>,
  event: EventOf<'hook.started'>,
): void {
  if (!life) return
  // What runs after the tool tells that the tool has run.
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
