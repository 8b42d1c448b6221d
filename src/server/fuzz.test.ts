/**
 * Requests that nobody would send on purpose: made from the schemas and then spoiled, or raw. None may be answered with a
 * failure of our own. `FUZZ_REQUESTS=200000` sends that many.
 */

import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createServedBox, TOKEN } from '../../test/support/served-box.js'
import { type Route, routes } from '../protocol/route.js'

const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 1_500)
const RAW_SHARE = 20

/** The same numbers in every run, so that a failure can be seen again. */
function createDice(seed: number) {
  let state = seed
  const next = (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  return { next, pick: <T>(items: readonly T[]): T => items[next(items.length)] as T }
}
type Dice = ReturnType<typeof createDice>

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
      return dice.next(2) === 0 ? dice.pick(known) : dice.pick(ODD)
    case 'integer':
    case 'number':
      return dice.pick([0, 1, 2, -1, 0.5, 1_000, 2 ** 53, Number.MAX_VALUE])
    case 'boolean':
      return dice.next(2) === 0
    case 'array':
      return Array.from({ length: dice.next(4) }, () => valueOf(schema.items ?? {}, dice, known, depth + 1))
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).filter(
        ([name]) => schema.required?.includes(name) || (depth < 4 && dice.next(2) === 0),
      )
      const extra = dice.next(15) === 0 ? [[dice.pick([...ODD, '__proto__', 'constructor']), 1]] : []
      return Object.fromEntries([
        ...fields.map(([name, field]) => [name, valueOf(field, dice, known, depth + 1)]),
        ...extra,
      ])
    }
    default:
      return dice.pick([null, {}, 'x', 7])
  }
}

const schemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema

test('no request is answered with a failure of our own', { timeout: 3_600_000 }, async () => {
  const box = await createServedBox()
  const { id } = await box.createSession()
  const dice = createDice(20_261_116)
  const known = [
    id,
    box.cwd,
    '/nowhere',
    'default',
    TOKEN,
    'text',
    '2030-01-01T00:00:00Z',
    'msg_00000000000000000000000000',
  ]
  const rejections: unknown[] = []
  const onRejection = (reason: unknown) => rejections.push(reason)
  process.on('unhandledRejection', onRejection)
  // Streams stay open, and a logout would end the game.
  const table = Object.values<Route>(routes)
    .filter(({ reply, path }) => reply !== null && !path.endsWith('/hold'))
    .map((route) => ({
      route,
      body: route.body && schemaOf(route.body),
      query: route.query && schemaOf(route.query),
    }))
  const failures: string[] = []
  const statuses = new Map<number, number>()
  let memory = 0

  for (let n = 0; n < REQUESTS; n += 1) {
    if (n === Math.floor(REQUESTS / 2)) {
      globalThis.gc?.()
      memory = process.memoryUsage().heapUsed
    }
    if (n % RAW_SHARE === 0) {
      await sendRaw(box.url, dice)
      continue
    }
    const { route, body, query } = dice.pick(table)
    const path = route.path.replaceAll(/:\w+/g, () =>
      encodeURIComponent(dice.pick([...known, ...ODD]).replaceAll('\ud800', '')),
    )
    const values = query ? (valueOf(query, dice, known) as Record<string, unknown> | null) : null
    const search = new URLSearchParams()
    if (typeof values === 'object' && values !== null)
      for (const [name, value] of Object.entries(values)) search.append(name, String(value))
    const response = await fetch(`${box.url}${path}?${search.toString()}`, {
      method: dice.next(30) === 0 ? dice.pick(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']) : route.method,
      headers: { authorization: `Bearer ${TOKEN}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body &&
        route.method !== 'GET' && { body: spoil(JSON.stringify(valueOf(body, dice, known)) ?? '', dice) }),
    }).catch((error: unknown) => {
      // A method that takes no body was drawn: the request was never sent.
      if (error instanceof TypeError && /body/.test(error.message)) return null
      throw error
    })
    if (!response) continue
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    const text = await response.text()
    // 502 and 503 tell that the CLI, which has a stand-in here, did not do what was asked.
    if (response.status === 500) failures.push(`${route.method} ${path}: ${text.slice(0, 200)}`)
  }
  process.off('unhandledRejection', onRejection)

  expect(failures).toEqual([])
  expect(rejections).toEqual([])
  expect([...statuses.keys()].toSorted((one, other) => one - other)).toEqual(
    expect.arrayContaining([200, 400, 404]),
  )
  expect((await box.ask('/healthz')).status).toBe(200)
  globalThis.gc?.()
  const grown = process.memoryUsage().heapUsed - memory
  process.stdout.write(
    `fuzz: ${REQUESTS} requests, statuses ${JSON.stringify(Object.fromEntries(statuses))}, heap grew ${Math.round(grown / 1e6)} MB in the second half\n`,
  )
})

function spoil(text: string, dice: Dice): string {
  if (dice.next(12) !== 0 || text.length === 0) return text
  const place = dice.next(text.length)
  return (
    text.slice(0, place) + dice.pick(['', '"', '{', '\u0000', ',', text]) + text.slice(place + dice.next(3))
  )
}

/** Bytes that are no HTTP, or almost. */
async function sendRaw(url: string, dice: Dice): Promise<void> {
  const { port, host } = new URL(url)
  const line = dice.pick([
    'GET /%ff HTTP/1.1',
    'GET //..// HTTP/1.1',
    'BREW / HTTP/1.1',
    'GET / HTTP/9',
    '\u0000\u0001',
    'POST /api/v1/sessions HTTP/1.1',
  ])
  const head = dice.pick([
    `host: ${host}`,
    'host: evil',
    'content-length: -1',
    `host: ${host}\r\ncontent-length: 5`,
    'x'.repeat(20_000),
  ])
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(`${line}\r\n${head}\r\nconnection: close\r\n\r\nxxxxx`)
      socket.end()
    })
    const timer = setTimeout(() => socket.destroy(), 2_000)
    socket.on('error', () => {})
    socket.on('data', (data) => expect(data.toString()).not.toMatch(/^HTTP\/1\.1 500/))
    socket.on('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
