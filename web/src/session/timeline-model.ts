/** The life of each tool call and subagent on one axis of time. Pure: from events to bars. */

import type { SessionEvent } from '../../../src/protocol/index.js'

export const STAGES = ['asked', 'waited', 'ran', 'hook'] as const

export interface Stage {
  name: (typeof STAGES)[number]
  /** Milliseconds since the first event. */
  start: number
  end: number
}

export interface Bar {
  id: string
  name: string
  input: unknown
  /** The call or agent that it belongs to. */
  parentId: string | null
  start: number
  /** Null while it goes on. */
  end: number | null
  outcome: string | null
  stages: readonly Stage[]
  /** Who decided, where somebody was asked. */
  decidedBy: string | null
}

export interface TimelineModel {
  bars: readonly Bar[]
  /** The time that zero stands for. */
  origin: number
  /** How long everything took so far. */
  span: number
}

interface Open {
  bar: Bar
  stages: Stage[]
  since: number
}

export function timelineOf(events: readonly SessionEvent[], now: number): TimelineModel {
  const origin = Date.parse(events[0]?.at ?? new Date(now).toISOString())
  const calls = new Map<string, Open>()
  const requests = new Map<string, { call: Open; at: number }>()
  const hooks = new Map<string, { call: Open; at: number }>()
  let last = 0
  for (const event of events) {
    const at = Date.parse(event.at) - origin
    last = Math.max(last, at)
    switch (event.type) {
      case 'tool.requested': {
        const { toolUseId: id, name, input, parentToolUseId } = event.data
        const parentId = parentToolUseId ?? null
        const bar: Bar = {
          id,
          name,
          input,
          parentId,
          start: at,
          end: null,
          outcome: null,
          stages: [],
          decidedBy: null,
        }
        calls.set(id, { bar, stages: [], since: at })
        break
      }
      case 'permission.requested':
      case 'question.requested': {
        const call = calls.get(event.data.toolUseId ?? '')
        if (!call) break
        close(call, 'asked', at)
        requests.set(event.data.requestId, { call, at })
        break
      }
      case 'permission.resolved':
      case 'question.resolved': {
        const request = requests.get(event.data.requestId)
        if (!request) break
        const { call } = request
        close(call, 'waited', at)
        call.bar = { ...call.bar, decidedBy: event.data.who ?? event.data.by }
        break
      }
      case 'tool.started': {
        const call = calls.get(event.data.toolUseId)
        if (!call) break
        close(call, 'asked', at)
        call.bar = { ...call.bar, decidedBy: call.bar.decidedBy ?? event.data.by ?? null }
        break
      }
      case 'hook.started': {
        const call = calls.get(event.data.toolUseId ?? '')
        if (call) hooks.set(event.data.hookId, { call, at })
        break
      }
      case 'hook.ended': {
        const hook = hooks.get(event.data.hookId)
        if (hook) hook.call.stages.push({ name: 'hook', start: hook.at, end: at })
        break
      }
      case 'tool.ended': {
        const { toolUseId, outcome } = event.data
        const call = calls.get(toolUseId)
        if (!call) break
        if (outcome === 'completed' || outcome === 'failed') close(call, 'ran', at)
        else close(call, 'asked', at)
        call.bar = { ...call.bar, end: at, outcome }
        break
      }
      default:
    }
  }
  const open = [...calls.values()].some(({ bar }) => bar.end === null)
  const span = Math.max(1, open ? Math.max(last, now - origin) : last)
  const bars = [...calls.values()].map(({ bar, stages, since }) => {
    const unfinished: Stage[] =
      bar.end === null
        ? [{ name: waitsIn(bar.id, requests) ? 'waited' : 'ran', start: since, end: span }]
        : []
    return { ...bar, stages: [...stages, ...unfinished] }
  })
  return { bars, origin, span }
}

/** Ends the stage that a call has been in since the last one. */
function close(call: Open, name: Stage['name'], at: number): void {
  if (at > call.since) call.stages.push({ name, start: call.since, end: at })
  call.since = at
}

function waitsIn(id: string, requests: ReadonlyMap<string, { call: Open }>): boolean {
  return [...requests.values()].some(({ call }) => call.bar.id === id && call.bar.decidedBy === null)
}
