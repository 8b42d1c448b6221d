/** Figures for Prometheus, in its text format. */

import type { Hub } from '../hub/port.js'
import type { Clock } from '../lib/clock.js'
import { SessionState } from '../protocol/event/session-event.js'
import type { Connections } from './stream/connections.js'
import { createWaitHistogram } from './wait-histogram.js'

export interface Metrics {
  countAnswer(status: number): void
  close(): void
  text(): Promise<string>
}

export function createMetrics(deps: { hub: Hub; connections: Connections; clock: Clock }): Metrics {
  const { hub, connections, clock } = deps
  const startedAt = clock.now()
  const answers = new Map<string, number>()
  const waits = createWaitHistogram(hub)
  return {
    countAnswer(status) {
      const kind = `${Math.floor(status / 100)}xx`
      answers.set(kind, (answers.get(kind) ?? 0) + 1)
    },
    close: () => waits.close(),
    async text() {
      const [{ sessions, pendingRequests, events }, { usage }] = await Promise.all([
        hub.counts(),
        hub.usage({ by: 'model' }),
      ])
      const states = SessionState.options.map((state): Sample => [{ state }, sessions[state] ?? 0])
      return [
        metric('sessions', 'gauge', 'Sessions by state.', states),
        metric('requests_pending', 'gauge', 'Pending requests.', [[{}, pendingRequests]]),
        metric('events_total', 'counter', 'Events stored, including those of deleted sessions.', [
          [{}, events],
        ]),
        metric('connections', 'gauge', 'Open streams and WebSockets.', [[{}, connections.size]]),
        metric(
          'http_answers_total',
          'counter',
          'HTTP responses by status class.',
          [...answers].map(([status, count]) => [{ status }, count]),
        ),
        metric(
          'tokens_total',
          'counter',
          'Tokens used, by model and kind.',
          usage.flatMap((row): Sample[] => [
            [{ model: row.key, kind: 'input' }, row.inputTokens],
            [{ model: row.key, kind: 'output' }, row.outputTokens],
            [{ model: row.key, kind: 'cache_read' }, row.cacheReadInputTokens],
            [{ model: row.key, kind: 'cache_creation' }, row.cacheCreationInputTokens],
          ]),
        ),
        metric(
          'cost_usd_total',
          'counter',
          'Cost of these tokens at API prices, in USD.',
          usage.map((row) => [{ model: row.key }, row.costUsd]),
        ),
        ...waits.lines(),
        metric('uptime_seconds', 'gauge', 'Uptime of the daemon, in seconds.', [
          [{}, (clock.now() - startedAt) / 1_000],
        ]),
        metric('resident_memory_bytes', 'gauge', 'Resident memory of the daemon, in bytes.', [
          [{}, process.memoryUsage.rss()],
        ]),
      ].join('')
    },
  }
}

type Sample = [labels: Record<string, string>, value: number]

function metric(name: string, type: 'gauge' | 'counter', help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => `signalbox_${name}${labelText(labels)} ${value}\n`)
  return `# HELP signalbox_${name} ${help}\n# TYPE signalbox_${name} ${type}\n${lines.join('')}`
}

function labelText(labels: Record<string, string>): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return parts.length > 0 ? `{${parts.join(',')}}` : ''
}

function escapeLabel(value: string): string {
  return value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)
}
