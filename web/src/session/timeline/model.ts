/** Builds the bars of the timeline from the events of a session. Pure. */

import { type SessionEvent, type ToolLife, toolLives } from '../../../../src/protocol/index.js'

export const STAGES = ['judge', 'wait', 'run', 'hook'] as const

export interface BarStage {
  name: (typeof STAGES)[number]
  /** Milliseconds since the first event. */
  start: number
  end: number
}

export interface Bar {
  id: string
  name: string
  input: unknown
  /** Whether the call was made by a subagent. */
  isSubagent: boolean
  start: number
  /** Null while it is running. */
  end: number | null
  outcome: ToolLife['outcome']
  /** Hook stages come last, so that they are drawn on top. */
  stages: readonly BarStage[]
  /** The user, policy or hook that allowed or denied it. */
  decidedBy: string | null
}

export interface TimelineModel {
  bars: readonly Bar[]
  /** Time of the first event, in milliseconds since the epoch. */
  origin: number
  /** Length of the time axis in milliseconds. */
  span: number
}

export function buildTimeline(events: readonly SessionEvent[], now: number): TimelineModel {
  const origin = Date.parse(events[0]?.at ?? new Date(now).toISOString())
  const last = Date.parse(events.at(-1)?.at ?? new Date(origin).toISOString()) - origin
  const lives = toolLives(events)
  const isOpen = lives.some(({ outcome }) => outcome === null)
  const span = Math.max(1, isOpen ? Math.max(last, now - origin) : last)
  return { bars: lives.map((life) => buildBar(life, origin, span)), origin, span }
}

function buildBar(life: ToolLife, origin: number, span: number): Bar {
  const stages = life.stages.map(({ kind, startedAt, durationMs }) => {
    const start = Date.parse(startedAt) - origin
    return { name: kind, start, end: durationMs === null ? Math.max(start, span) : start + durationMs }
  })
  const start = Date.parse(life.requestedAt) - origin
  const ends = stages.map(({ end }) => end)
  return {
    id: life.toolUseId,
    name: life.name,
    input: life.input,
    isSubagent: life.agentId !== null,
    start,
    end: life.outcome === null ? null : Math.max(start, ...ends),
    outcome: life.outcome,
    stages: stages.toSorted((one, other) => Number(one.name === 'hook') - Number(other.name === 'hook')),
    decidedBy: life.by ?? life.stages.findLast(({ kind }) => kind === 'wait')?.label ?? null,
  }
}
