/** A collector for tests: takes OTLP over HTTP and reads it by the message definitions of the OpenTelemetry protocol. */

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

interface Field {
  type: string
  repeated?: true
  oneof?: string
}

/** The fields of each message, from opentelemetry-proto (Apache-2.0): `{ message: { field: { type, repeated, oneof } } }`. */
const MESSAGES = JSON.parse(
  readFileSync(new URL('fixtures/otlp/messages.json', import.meta.url), 'utf8'),
) as Record<string, Record<string, Field>>

const ROOTS: Readonly<Record<string, string>> = {
  '/v1/traces': 'opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest',
  '/v1/metrics': 'opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest',
  '/v1/logs': 'opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest',
}

export interface Received {
  path: string
  headers: IncomingMessage['headers']
  body: Record<string, unknown>
  /** Places that do not fit the definitions. */
  problems: string[]
}

export type Answer = (response: ServerResponse, received: Received, count: number) => void

export async function startCollector(answer: Answer = accept) {
  const received: Received[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.parse(await text(request)) as Record<string, unknown>
    const path = request.url ?? ''
    const one = { path, headers: request.headers, body, problems: problemsOf(body, ROOTS[path] ?? '', path) }
    received.push(one)
    answer(response, one, received.length)
  }
  const server = createServer((request, response) => void take(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // It listens on TCP.
  return { url: `http://127.0.0.1:${port}`, received }
}

export function accept(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
}

const NUMBERS = /^(?:u?int64|s?fixed64|sint64)$/
const SMALL = /^(?:u?int32|s?fixed32|sint32|enum)$/

/** The JSON form of OTLP: lowerCamelCase names, 64-bit integers as texts, ids in hex. Fields that are not defined are problems. */
function problemsOf(value: unknown, message: string, place: string): string[] {
  const fields = MESSAGES[message]
  if (!fields) return [`${place}: no message ${message}`]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${place}: not an object`]
  const groups = Object.keys(value).map((name) => fields[name]?.oneof)
  const twice = groups.filter(
    (group, index) => group && groups.indexOf(group) !== index && !group.startsWith('_'),
  )
  return [
    ...twice.map((group) => `${place}: two of ${group}`),
    ...Object.entries(value).flatMap(([name, content]) => {
      const field = fields[name]
      const where = `${place}.${name}`
      if (!field) return [`${where}: not defined in ${message}`]
      if (!field.repeated) return problemsOfField(content, field, name, where)
      if (!Array.isArray(content)) return [`${where}: not a list`]
      return content.flatMap((one, index) => problemsOfField(one, field, name, `${where}[${index}]`))
    }),
  ]
}

function problemsOfField(value: unknown, { type }: Field, name: string, where: string): string[] {
  if (type.includes('.')) return problemsOf(value, type, where)
  const fits = () => {
    if (type === 'string') return typeof value === 'string'
    if (type === 'bool') return typeof value === 'boolean'
    if (type === 'double' || type === 'float') return typeof value === 'number'
    if (NUMBERS.test(type)) return typeof value === 'string' && /^-?\d+$/.test(value)
    if (SMALL.test(type)) return Number.isInteger(value)
    const length = /trace/i.test(name) ? 32 : 16
    return (
      type === 'bytes' && typeof value === 'string' && value.length === length && /^[0-9a-f]+$/.test(value)
    )
  }
  return fits() ? [] : [`${where}: ${JSON.stringify(value)} is no ${type}`]
}
