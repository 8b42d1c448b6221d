/** Malformed requests that no client sends on purpose: made from the schemas and then spoiled, or raw bytes. */

import { connect } from 'node:net'
import { z } from 'zod'
import { type Route, routes } from '../../src/protocol/route.js'
import { clientMessages } from '../../src/protocol/web-socket.js'

/** The same numbers in every run, so that a failure can be seen again. */
export function createDice(seed: number) {
  let state = seed
  const next = (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  return { next, pick: <T>(items: readonly T[]): T => items[next(items.length)] as T }
}
export type Dice = ReturnType<typeof createDice>

interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
}

const ODD = [
  '',
  ' ',
  '\u0000',
  '../../etc/passwd',
  '세션',
  '{{x}}',
  'a'.repeat(5_000),
  '-1',
  'null',
  "'; --",
  '%00',
  '\ud800',
]

function valueOf(schema: Schema, dice: Dice, known: readonly string[], depth = 0): unknown {
  if (dice.next(25) === 0) return dice.pick([null, true, -1, 1e308, [], {}, 'x', ...ODD])
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return dice.pick(schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return valueOf(dice.pick(choices), dice, known, depth)
  switch (schema.type) {
    case 'string':
      return dice.next(3) > 0 ? dice.pick(known) : dice.pick(ODD)
    case 'integer':
    case 'number':
      return dice.pick([0, 1, 2, -1, 0.5, 1_000, 2 ** 53, Number.MAX_VALUE])
    case 'boolean':
      return dice.next(2) === 0
    case 'array':
      return Array.from({ length: dice.next(4) }, () => valueOf(schema.items ?? {}, dice, known, depth + 1))
    case 'object':
      return objectOf(schema, dice, known, depth)
    default:
      return dice.pick([null, {}, 'x', 7])
  }
}

function objectOf(
  { properties = {}, required }: Schema,
  dice: Dice,
  known: readonly string[],
  depth: number,
) {
  const fields = Object.entries(properties).filter(
    ([name]) => required?.includes(name) || (depth < 4 && dice.next(3) === 0),
  )
  const extra = dice.next(20) === 0 ? [[dice.pick([...ODD, '__proto__', 'constructor']), 1]] : []
  return Object.fromEntries([
    ...fields.map(([name, field]) => [name, valueOf(field, dice, known, depth + 1)]),
    ...extra,
  ])
}

const schemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema

/** Streams stay open and are asked for elsewhere. */
const table = Object.values<Route>(routes)
  .filter(({ reply }) => reply !== null)
  .map((route) => ({
    route,
    body: route.body && schemaOf(route.body),
    query: route.query && schemaOf(route.query),
  }))

export interface GeneratedRequest {
  method: string
  path: string
  body?: string
}

/** `known` are values that mean something to the server: ids, folders, words. */
export function generateRequest(dice: Dice, known: readonly string[]): GeneratedRequest {
  const { route, body, query } = dice.pick(table)
  const path = route.path.replaceAll(/:\w+/g, () =>
    encodeURIComponent(dice.pick(dice.next(5) === 0 ? ODD : known).replaceAll('\ud800', '')),
  )
  const values = query ? (valueOf(query, dice, known) as Record<string, unknown> | null) : null
  const search = new URLSearchParams()
  if (typeof values === 'object' && values !== null)
    for (const [name, value] of Object.entries(values)) search.append(name, String(value))
  const method = dice.next(30) === 0 ? dice.pick(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']) : route.method
  const text = body && spoil(JSON.stringify(valueOf(body, dice, known)) ?? '', dice)
  return {
    method,
    path: `${path}?${search.toString()}`,
    ...(text !== undefined && !['GET', 'HEAD'].includes(method) && { body: text }),
  }
}

const messages = Object.entries(clientMessages).map(([type, { body }]) => ({ type, body: schemaOf(body) }))

/** A message as a client might send it over a WebSocket. */
export function generateMessage(dice: Dice, known: readonly string[]): string {
  const { type, body } = dice.pick(messages)
  const value = valueOf(body, dice, known)
  return spoil(JSON.stringify({ type, id: dice.next(1_000), ...(value as object | null) }), dice)
}

function spoil(text: string, dice: Dice): string {
  if (dice.next(12) !== 0 || text.length === 0) return text
  const place = dice.next(text.length)
  return (
    text.slice(0, place) + dice.pick(['', '"', '{', '\u0000', ',', text]) + text.slice(place + dice.next(3))
  )
}

/** Bytes that are no HTTP, or almost. Resolves with what came back. */
export async function sendRaw(url: string, dice: Dice): Promise<string> {
  const { port, host } = new URL(url)
  const line = dice.pick([
    'GET /%ff HTTP/1.1',
    'GET //..// HTTP/1.1',
    'BREW / HTTP/1.1',
    'GET / HTTP/9',
    '\u0000\u0001',
    'POST /api/v1/sessions HTTP/1.1',
    'GET /api/v1/ws HTTP/1.1\r\nupgrade: websocket\r\nconnection: upgrade',
  ])
  const head = dice.pick([
    `host: ${host}`,
    'host: evil',
    'content-length: -1',
    `host: ${host}\r\ncontent-length: 5`,
    'x'.repeat(20_000),
  ])
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(`${line}\r\n${head}\r\nconnection: close\r\n\r\nxxxxx`)
      socket.end()
    })
    const timer = setTimeout(() => socket.destroy(), 2_000)
    socket.on('error', () => {})
    socket.on('data', (data) => {
      answer += data.toString()
    })
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(answer)
    })
  })
}
