/** The parts of OTLP 1 that are sent, in its JSON form (hex ids, 64-bit integers as texts), and values made for them. */

export type AnyValue =
  | { stringValue: string }
  | { intValue: string }
  | { doubleValue: number }
  | { boolValue: boolean }
  | { arrayValue: { values: AnyValue[] } }

export interface KeyValue {
  key: string
  value: AnyValue
}

export interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: KeyValue[]
  links?: { traceId: string; spanId: string }[]
  status: { code: number; message?: string }
}

export interface LogRecord {
  timeUnixNano: string
  observedTimeUnixNano: string
  severityNumber: number
  severityText: string
  body: AnyValue
  attributes: KeyValue[]
  traceId: string
  spanId: string
}

export interface NumberPoint {
  attributes: KeyValue[]
  startTimeUnixNano: string
  timeUnixNano: string
  asDouble: number
}

export interface HistogramPoint {
  attributes: KeyValue[]
  startTimeUnixNano: string
  timeUnixNano: string
  count: string
  sum: number
  bucketCounts: string[]
  explicitBounds: number[]
}

export interface Metric {
  name: string
  description: string
  unit: string
  sum?: { dataPoints: NumberPoint[]; aggregationTemporality: number; isMonotonic: boolean }
  histogram?: { dataPoints: HistogramPoint[]; aggregationTemporality: number }
}

export const SPAN_INTERNAL = 1
export const SPAN_CLIENT = 3
export const STATUS_UNSET = 0
export const STATUS_ERROR = 2
/** Each batch has what happened in it: the sender keeps no totals. */
export const DELTA = 1

export type Attributes = Readonly<
  Record<string, string | number | boolean | readonly string[] | null | undefined>
>

/** Those without a value are left out. */
export function keyValues(attributes: Attributes): KeyValue[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: anyValue(value) }],
  )
}

export function anyValue(value: string | number | boolean | readonly string[]): AnyValue {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  return { arrayValue: { values: value.map((one) => ({ stringValue: one })) } }
}

export function nanos(ms: number): string {
  return `${Math.max(0, Math.round(ms))}000000`
}

/** A request for each kind of signal, around what was made. */
export function envelope(
  kind: 'traces' | 'metrics' | 'logs',
  items: readonly unknown[],
  version: string,
): object {
  const resource = {
    attributes: keyValues({ 'service.name': 'signalbox', 'service.version': version }),
  }
  const scope = { name: 'signalbox', version }
  switch (kind) {
    case 'traces':
      return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: items }] }] }
    case 'metrics':
      return { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics: items }] }] }
    case 'logs':
      return { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: items }] }] }
  }
}
