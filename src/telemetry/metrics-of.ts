/** Metrics of one batch of events, with the names that Claude Code uses where it has them. Pure. */

import type { SessionEvent } from '../protocol/event/event.js'
import {
  type Attributes,
  DELTA,
  type HistogramPoint,
  keyValues,
  type Metric,
  type NumberPoint,
  nanos,
} from './otlp.js'

/** Upper bounds of waiting times, in seconds: from a glance to a night. */
const WAIT_BOUNDS = [1, 5, 15, 30, 60, 300, 900, 3_600, 14_400, 43_200]

/** How long each request had waited that a batch resolves, by its id. */
export type Waits = ReadonlyMap<string, number>

export function metricsOf(events: readonly SessionEvent[], waits: Waits): Metric[] {
  const [first, last] = [events[0], events.at(-1)]
  if (!first || !last) return []
  const span = { startTimeUnixNano: nanos(Date.parse(first.at)), timeUnixNano: nanos(Date.parse(last.at)) }
  const sums = new Sums()
  const histogram = new Map<string, { attributes: Attributes; values: number[] }>()
  for (const event of events) {
    if (event.type === 'session.created') sums.add('claude_code.session.count', 1, { kind: event.data.kind })
    if (event.type === 'turn.ended') addUsage(sums, event.data.modelUsage)
    if (event.type === 'tool.ended')
      sums.add('signalbox.tool.calls', 1, {
        'gen_ai.tool.name': event.data.name,
        outcome: event.data.outcome,
      })
    if (event.type === 'permission.resolved' || event.type === 'question.resolved') {
      const seconds = waits.get(event.data.requestId)
      const kind = event.type === 'permission.resolved' ? 'permission' : 'question'
      const attributes = { kind, by: event.data.by }
      const key = JSON.stringify(attributes)
      const known = histogram.get(key) ?? { attributes, values: [] }
      if (seconds !== undefined) histogram.set(key, { ...known, values: [...known.values, seconds] })
    }
  }
  const points = [...histogram.values()].map(({ attributes, values }) =>
    histogramPoint(attributes, values, span),
  )
  return [
    ...sums.metrics(span),
    ...(points.length === 0
      ? []
      : [
          {
            ...DESCRIBED['signalbox.request.wait.duration'],
            histogram: { dataPoints: points, aggregationTemporality: DELTA },
          },
        ]),
  ]
}

const DESCRIBED = {
  'claude_code.session.count': {
    name: 'claude_code.session.count',
    description: 'Sessions started',
    unit: '1',
  },
  'claude_code.token.usage': { name: 'claude_code.token.usage', description: 'Tokens used', unit: 'tokens' },
  'claude_code.cost.usage': {
    name: 'claude_code.cost.usage',
    description: 'Cost at API prices',
    unit: 'USD',
  },
  'signalbox.tool.calls': { name: 'signalbox.tool.calls', description: 'Tool calls that ended', unit: '1' },
  'signalbox.request.wait.duration': {
    name: 'signalbox.request.wait.duration',
    description: 'How long requests waited for their answer',
    unit: 's',
  },
} as const

type SumName = Exclude<keyof typeof DESCRIBED, 'signalbox.request.wait.duration'>
type Models = (SessionEvent & { type: 'turn.ended' })['data']['modelUsage']

function addUsage(sums: Sums, models: Models): void {
  for (const [model, usage] of Object.entries(models ?? {})) {
    sums.add('claude_code.cost.usage', usage.costUsd, { model })
    const kinds = {
      input: usage.inputTokens,
      output: usage.outputTokens,
      cacheRead: usage.cacheReadInputTokens,
      cacheCreation: usage.cacheCreationInputTokens,
    }
    for (const [type, count] of Object.entries(kinds))
      sums.add('claude_code.token.usage', count, { model, type })
  }
}

class Sums {
  readonly #points = new Map<SumName, Map<string, { attributes: Attributes; value: number }>>()

  add(name: SumName, value: number, attributes: Attributes): void {
    const points = this.#points.get(name) ?? new Map<string, { attributes: Attributes; value: number }>()
    this.#points.set(name, points)
    const key = JSON.stringify(attributes)
    points.set(key, { attributes, value: (points.get(key)?.value ?? 0) + value })
  }

  metrics(span: Pick<NumberPoint, 'startTimeUnixNano' | 'timeUnixNano'>): Metric[] {
    return [...this.#points].map(([name, points]) => ({
      ...DESCRIBED[name],
      sum: {
        dataPoints: [...points.values()].map(({ attributes, value }) => ({
          attributes: keyValues(attributes),
          ...span,
          asDouble: value,
        })),
        aggregationTemporality: DELTA,
        isMonotonic: true,
      },
    }))
  }
}

function histogramPoint(
  attributes: Attributes,
  values: readonly number[],
  span: Pick<HistogramPoint, 'startTimeUnixNano' | 'timeUnixNano'>,
): HistogramPoint {
  const counts = [...WAIT_BOUNDS, Number.POSITIVE_INFINITY].map(
    (bound, index) =>
      values.filter((value) => value <= bound && value > (WAIT_BOUNDS[index - 1] ?? -1)).length,
  )
  return {
    attributes: keyValues(attributes),
    ...span,
    count: String(values.length),
    sum: values.reduce((sum, value) => sum + value, 0),
    bucketCounts: counts.map(String),
    explicitBounds: WAIT_BOUNDS,
  }
}
