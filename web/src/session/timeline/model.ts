/** The life of each tool call on one axis of time. Pure: from events to bars. */

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
  /** Whether a subagent has made the call. */
  isSubagent: boolean
  start: number
  /** Null while it goes on. */
  end: number | null
  outcome: ToolLife['outcome']
  /** Those of hooks come last, so that they are drawn over the others. */
  stages: readonly BarStage[]
  /** Who let it run or refused it. */
  decidedBy: string | null
}

export interface TimelineModel {
  bars: readonly Bar[]
  /** The time that zero stands for. */
  origin: number
  /** How long everything took so far. */
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
