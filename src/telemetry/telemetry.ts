/**
 * Exports what sessions do to an OpenTelemetry collector. A durable subscriber: while the collector is down, nothing is
 * lost and nothing is kept in memory, since the journal has it. Off without an endpoint.
 */

import { type DurableSubscriber, followDurably } from '../journal/durable-subscriber.js'
import type { Journal } from '../journal/journal.js'
import type { Clock } from '../lib/clock.js'
import { digest } from '../lib/digest.js'
import { createGuardedClient, type GuardedClient } from '../lib/net/guarded-client.js'
import { redactJsonText } from '../lib/redact/redact-json.js'
import type { EventType, SessionEvent } from '../protocol/event/event.js'
import type { RecordChange } from '../store/port/record.js'
import type { Store } from '../store/port.js'
import { createExporter, type Send } from './exporter.js'
import { logOf } from './logs-of.js'
import { metricsOf } from './metrics-of.js'
import { envelope } from './otlp.js'
import { EMPTY_TRACE, type TraceState, traceStep } from './session-trace.js'
import type { TelemetrySettings } from './settings.js'

export interface TelemetryDeps {
  settings: TelemetrySettings
  journal: Journal
  store: Pick<Store, 'record' | 'saveRecords' | 'lastPosition' | 'request'>
  clock: Clock
  version: string
  redact(text: string): Promise<string>
  /** For tests. */
  client?: GuardedClient
  onFault(error: unknown, fields?: Record<string, unknown>): void
}

const KIND = 'telemetry'
const TYPES: readonly EventType[] = [
  'session.created',
  'session.started',
  'session.ended',
  'message.queued',
  'turn.started',
  'turn.ended',
  'tool.requested',
  'tool.judged',
  'tool.ended',
  'permission.requested',
  'permission.resolved',
  'question.requested',
  'question.resolved',
  'hook.started',
  'hook.ended',
  'agent.started',
  'agent.ended',
  'notice.raised',
  'error.raised',
]

/** Null: it is off. */
export async function startTelemetry(deps: TelemetryDeps): Promise<DurableSubscriber | null> {
  const { settings, journal, store, clock, redact, onFault } = deps
  const { endpoint } = settings
  if (endpoint === undefined) return null
  const stop = new AbortController()
  const client =
    deps.client ?? createGuardedClient({ privateAddresses: [...LOOPBACK, ...settings.privateAddresses] })
  const send = createExporter({
    settings: { ...settings, endpoint },
    client,
    clock,
    signal: stop.signal,
    redact: (json) => redactJsonText(json, redact),
    onFault,
  })
  const subscriber = await followDurably({
    // Another collector begins anew.
    name: `${KIND}-${digest(endpoint).slice(0, 12)}`,
    journal,
    store,
    clock,
    types: TYPES,
    handle: (items) =>
      exportBatch(
        items.map(({ event }) => event),
        { ...deps, send },
      ),
    onGap: ({ after, next }) =>
      onFault(new Error('Events were deleted before they were exported.'), { after, next }),
    onFault,
  })
  return {
    async close() {
      const closed = subscriber.close()
      stop.abort()
      await closed
    },
  }
}

/** A collector on this machine needs no entry in the list. */
const LOOPBACK = ['127.0.0.0/8', '::1']

interface ExportDeps extends TelemetryDeps {
  send: Send
}

/** Everything is sent before the cursor moves: after a failure the same items, with the same ids, are sent again. */
async function exportBatch(events: readonly SessionEvent[], deps: ExportDeps): Promise<RecordChange[]> {
  const { settings, store, version, send } = deps
  const { signals, content } = settings
  const states = new Map<string, TraceState>()
  const spans = []
  for (const event of events) {
    const { sessionId } = event
    const before = states.get(sessionId) ?? (await loadState(store, sessionId))
    const [after, ended] = traceStep(before, event, content)
    states.set(sessionId, after)
    spans.push(...ended)
  }
  const logs = events.map((event) => logOf(event, content)).filter((record) => record !== null)
  const metrics = signals.includes('metrics') ? metricsOf(events, await waitsOf(events, store)) : []
  if (signals.includes('traces') && spans.length > 0) await send('traces', envelope('traces', spans, version))
  if (metrics.length > 0) await send('metrics', envelope('metrics', metrics, version))
  if (signals.includes('logs') && logs.length > 0) await send('logs', envelope('logs', logs, version))
  return [...states].map(([id, state]) => ({
    kind: KIND,
    id,
    body: Object.keys(state.open).length === 0 && state.model === null ? null : state,
  }))
}

async function loadState(store: ExportDeps['store'], sessionId: string): Promise<TraceState> {
  const body = await store.record(KIND, sessionId)
  // Cast: only this file writes it.
  return body === null ? EMPTY_TRACE : (body as TraceState)
}

async function waitsOf(
  events: readonly SessionEvent[],
  store: ExportDeps['store'],
): Promise<Map<string, number>> {
  const waits = new Map<string, number>()
  for (const event of events) {
    if (event.type !== 'permission.resolved' && event.type !== 'question.resolved') continue
    const request = await store.request(event.data.requestId)
    if (request)
      waits.set(request.id, Math.max(0, (Date.parse(event.at) - Date.parse(request.requestedAt)) / 1_000))
  }
  return waits
}
