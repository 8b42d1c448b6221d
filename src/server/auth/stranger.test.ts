/** Unauthenticated requests: nothing of their content comes back, and guesses cannot be tried. */

import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.js'
import { createServedRuntime } from '../../../test/support/served-runtime.js'
import { HubError } from '../../protocol/error.js'
import { type Route, routes } from '../../protocol/route.js'
import { createStrangers } from './stranger.js'

const KNOWN = 'dragonfly77'
const UNKNOWN = 'butterfly88'

async function setup() {
  const runtime = await createServedRuntime()
  runtime.secrets.learn([KNOWN])
  const { secret } = await runtime.access.createToken({ name: 'a viewer', role: 'viewer' })
  const ask = async (path: string, init: RequestInit, token?: string) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const response = await fetch(`${runtime.url}${path}`, { ...init, headers })
    const text = (await response.text()).replaceAll(/req_\w+|rid_\w+/g, 'ID')
    return `${response.status} ${text} ${response.headers.get('location') ?? ''}`
  }
  return { ...runtime, ask, viewer: secret }
}

/** Requests with a word in every place that a request has. */
function requestsWith(word: string): [path: string, init: RequestInit][] {
  const body = JSON.stringify({ [word]: word, code: word, token: word, cwd: word, tool: word })
  const everywhere = Object.values(routes as Readonly<Record<string, Route>>).flatMap(
    ({ method, path }): [string, RequestInit][] => {
      const named = path.replaceAll(/:\w+/g, word)
      const init = { method, ...(method !== 'GET' && { body }) }
      return [
        [`${named}?${word}=1&q=${word}&limit=${word}&cursor=${word}`, init],
        [named, { method: 'PROPFIND' }],
      ]
    },
  )
  return [
    ...everywhere,
    [`/api/zz/letmein/${word}/hunter2`, {}],
    [`/${word}`, {}],
    [`/assets/${word}.js`, {}],
    [`/api/v1/login`, { method: 'POST', body: `{"${word}"` }],
    [`/api/v1/sessions/${word}`, { method: 'POST', body }],
  ]
}

test.each(['nobody', 'a viewer'])(
  'no answer to %s repeats a word of a refused request, or tells whether it is a secret',
  async (who) => {
    const { ask, viewer } = await setup()
    const token = who === 'nobody' ? undefined : viewer
    const answers = async (word: string) => {
      const all: string[] = []
      for (const [path, init] of requestsWith(word)) {
        const answer = await ask(path, { redirect: 'manual', ...init }, token)
        if (!answer.startsWith('2')) all.push(answer)
      }
      return all
    }
    const right = await answers(KNOWN)
    expect(right.filter((answer) => answer.includes(KNOWN) || answer.includes('redacted'))).toEqual([])
    expect(right).toEqual(await answers(UNKNOWN))
    expect(right.length).toBeGreaterThan(50)
  },
)

test('a viewer over the WebSocket hears nothing of what it sent in an error', async () => {
  const { url, viewer } = await setup()
  const { WebSocket } = await import('ws')
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/ws`, {
    headers: { authorization: `Bearer ${viewer}` },
  })
  await new Promise((resolve) => socket.once('open', resolve))
  const say = (message: object) =>
    new Promise<string>((resolve) => {
      socket.once('message', (data: Buffer) => resolve(data.toString()))
      socket.send(JSON.stringify(message))
    })
  const tries = (word: string) => [
    { type: word },
    { type: 'subscribe', sessions: [word] },
    { type: 'ping', [word]: 1 },
    { type: 'subscribe', sessions: ['11111111-2222-4333-8444-555555555555'] },
  ]
  for (const [index, message] of tries(KNOWN).entries()) {
    const answer = await say(message)
    expect(answer).toContain('"type":"error"')
    expect(answer).toBe(await say(tries(UNKNOWN)[index] ?? {}))
  }
  socket.terminate()
})

test('operators see which word was wrong', async () => {
  const { ask } = await setup()
  expect(await ask('/api/v1/sessions?colour=red', {}, 'the-token-of-this-test')).toContain('colour')
})

test('after too many refused requests strangers hear only that; a valid credential is never refused', async () => {
  const { ask, viewer } = await setup()
  const statuses = new Set<string>()
  for (let index = 0; index < 1_010; index += 1) statuses.add((await ask('/api/v1/zz', {})).slice(0, 3))
  expect([...statuses]).toEqual(['404', '429'])
  expect(await ask('/api/v1/about', {}, 'a wrong token')).toMatch(/^429 .*requests_limited/)
  expect(await ask('/api/v1/about', {}, viewer)).toMatch(/^200 /)
}, 60_000)

test('networks are counted apart, and the count begins anew after ten seconds', () => {
  const clock = createManualClock()
  const strangers = createStrangers(clock)
  const reason = new HubError('route_not_found', 'nothing')
  const codes = (address: string, times: number) =>
    new Set(Array.from({ length: times }, () => strangers.refuse(reason, address).code))
  expect([...codes('192.0.2.1', 100)]).toEqual(['route_not_found'])
  expect([...codes('192.0.2.1', 1)]).toEqual(['requests_limited'])
  expect([...codes('192.0.2.2', 1)]).toEqual(['route_not_found'])
  clock.advance(10_000)
  expect([...codes('192.0.2.1', 1)]).toEqual(['route_not_found'])
})
