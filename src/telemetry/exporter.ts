/** Sends requests to a collector. A failure that may pass is thrown, so that the batch comes again; any other is reported and dropped. */

import type { Clock } from '../lib/clock.js'
import { type GuardedClient, OutboundError } from '../lib/net/guarded-client.js'
import { withoutTrailingSlash } from '../lib/text/trailing-slash.js'
import type { TelemetrySettings } from './settings.js'

export type Signal = 'traces' | 'metrics' | 'logs'

export interface ExporterDeps {
  settings: TelemetrySettings & { endpoint: string }
  client: GuardedClient
  clock: Clock
  /** Aborts what is being sent, and what waits. */
  signal: AbortSignal
  redact(json: string): Promise<string>
  onFault(error: unknown, fields?: Record<string, unknown>): void
}

export type Send = (signal: Signal, request: object) => Promise<void>

const TIMEOUT_MS = 10_000
/** A collector that asks for more waits for the next attempt. */
const MAX_WAIT_SECONDS = 60
/** The collector will not take this batch, however often it comes. The others concern the connection, the access or the load. */
const REFUSED: ReadonlySet<number> = new Set([400, 405, 406, 409, 410, 411, 413, 415, 422, 431])

class CollectorError extends Error {}

export function createExporter({ settings, client, clock, signal, redact, onFault }: ExporterDeps): Send {
  const base = withoutTrailingSlash(settings.endpoint)

  function pause(seconds: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.after(seconds * 1_000, resolve)
      signal.addEventListener('abort', () => (cancel(), resolve()), { once: true })
    })
  }

  return async (kind, request) => {
    const body = await redact(JSON.stringify(request))
    let reply: Awaited<ReturnType<GuardedClient['request']>>
    try {
      reply = await client.request({
        method: 'POST',
        url: `${base}/v1/${kind}`,
        headers: { 'content-type': 'application/json', ...settings.headers },
        body,
        timeoutMs: TIMEOUT_MS,
        signal,
      })
    } catch (error) {
      const why = error instanceof OutboundError ? error.message : 'unknown error'
      throw new CollectorError(`Telemetry waits: ${why}`, { cause: error })
    }
    const { status, headers } = reply
    if (status >= 200 && status < 300) return reportRejected(kind, reply.body, onFault)
    if (REFUSED.has(status)) {
      onFault(new CollectorError(`The collector refused ${kind} with status ${status}; they are dropped.`))
      return
    }
    const wanted = Number(headers['retry-after'])
    if (Number.isFinite(wanted) && wanted > 0) await pause(Math.min(wanted, MAX_WAIT_SECONDS))
    throw new CollectorError(`Telemetry waits: the collector replied with status ${status}.`)
  }
}

/** Success, but for a part of the items. They are not sent again. */
function reportRejected(kind: Signal, body: Buffer, onFault: ExporterDeps['onFault']): void {
  let reply: unknown
  try {
    reply = JSON.parse(body.toString('utf8'))
  } catch {
    return // An empty reply, or one in another form, of a collector that has taken it.
  }
  const { partialSuccess } = (reply ?? {}) as { partialSuccess?: Record<string, unknown> }
  const count = Object.entries(partialSuccess ?? {}).find(([name]) => name.startsWith('rejected'))?.[1]
  if (Number(count) > 0)
    onFault(new CollectorError(`The collector rejected ${Number(count)} items of ${kind}.`))
}
