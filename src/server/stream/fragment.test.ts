/**
 * Text that is being written is for operators and admins. While a secret is written in chunks, a viewer
 * requests every route that viewers have, and subscribes to every kind of stream: no part of it may appear,
 * wherever the chunks are cut.
 */

import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { ids, messageQueued, permissionRequested, textEnded } from '../../../test/support/build.js'
import { createServedRuntime } from '../../../test/support/served-runtime.js'
import { DialectName } from '../../protocol/dialect-name.js'
import type { DeltaDraft, EventDraft } from '../../protocol/event/event.js'
import { type Route, routes } from '../../protocol/route.js'
import { WEB_SOCKET_PATH } from '../../protocol/web-socket.js'

const SHOWN = 5

/** Capital letters: parts of it are in no id and no time, which differ from run to run. */
const capital = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split(''))
const secretWord = fc.string({ unit: capital, minLength: 8, maxLength: 40 })

/** Whether any part of the secret is in the text. */
function partsIn(text: string, secret: string): string[] {
  const starts = Array.from({ length: secret.length - SHOWN + 1 }, (_, at) => at)
  return starts.map((at) => secret.slice(at, at + SHOWN)).filter((part) => text.includes(part))
}

const viewable = Object.entries(routes as Readonly<Record<string, Route>>).filter(
  ([name, { role, method }]) =>
    method === 'GET' && (role === 'viewer' || role === null) && name !== 'openApi',
)

async function setup() {
  const runtime = await createServedRuntime()
  const { id: sessionId } = await runtime.createSession()
  const requestId = ids.next('per')
  await runtime.journal.append(sessionId, [permissionRequested(requestId)])
  const { secret: token } = await runtime.access.createToken({ name: 'a viewer', role: 'viewer' })
  const headers = { authorization: `Bearer ${token}` }
  const heard: string[] = []
  const leave = new AbortController()
  onTestFinished(() => leave.abort())

  async function listen(path: string): Promise<void> {
    const response = await fetch(`${runtime.url}${path}`, { headers, signal: leave.signal })
    const reading = async () => {
      for await (const chunk of response.body ?? []) heard.push(Buffer.from(chunk as Uint8Array).toString())
    }
    void reading().catch(() => {})
  }

  async function join(wish: object): Promise<void> {
    const socket = new WebSocket(`${runtime.url.replace('http', 'ws')}${WEB_SOCKET_PATH}`, { headers })
    onTestFinished(() => socket.terminate())
    socket.on('message', (data: Buffer) => heard.push(data.toString()))
    await new Promise((resolve) => socket.once('open', resolve))
    socket.send(JSON.stringify({ type: 'subscribe', sessions: ['*'], after: 0, deltas: true, ...wish }))
  }

  for (const dialect of [undefined, ...DialectName.options]) {
    const query = `after=0&deltas=1${dialect === undefined ? '' : `&dialect=${dialect}`}`
    await listen(`/api/v1/stream?${query}`)
    await listen(`/api/v1/sessions/${sessionId}/stream?${query}`)
    await join(dialect === undefined ? {} : { dialect })
  }

  async function askAll(): Promise<string> {
    const paths = viewable
      .filter(([, { reply }]) => reply !== null)
      .map(([name, { path }]) => {
        const id = path.includes('/requests/') ? requestId : sessionId
        return `${path.replace(':id', id)}${name === 'search' ? '?q=the' : ''}`
      })
    const replies = paths.map(async (path) => (await fetch(`${runtime.url}${path}`, { headers })).text())
    return (await Promise.all(replies)).join('\n')
  }

  return { ...runtime, sessionId, heard, askAll }
}

type Kind = DeltaDraft['type']
const kinds: readonly Kind[] = ['text.delta', 'thinking.delta', 'tool.input.delta']

function piece(type: Kind, offset: number, text: string): DeltaDraft {
  if (type === 'tool.input.delta')
    return { type, data: { toolUseId: 'toolu_9', name: 'Write', offset, text } }
  return { type, data: { messageId: 'm', index: 0, offset, text } }
}

test('every route and stream for viewers is here', () => {
  expect(viewable.map(([name]) => name)).toEqual(
    expect.arrayContaining([
      'getSession',
      'listSessions',
      'listEvents',
      'streamAll',
      'streamSession',
      'search',
    ]),
  )
})

test('no part of a secret that is being written shows on any route or stream for viewers', async () => {
  const { journal, secrets, sessionId, heard, askAll } = await setup()
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...kinds),
      secretWord,
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 3, maxLength: 6 }),
      async (kind, secret, sizes) => {
        secrets.learn([secret])
        const text = `the word is ${secret} as you know`
        for (let at = 0, next = 0; at < text.length; next += 1) {
          const size = sizes[next % sizes.length] ?? 1
          journal.publish(sessionId, piece(kind, at, text.slice(at, at + size)))
          at += size
          expect(partsIn(await askAll(), secret)).toEqual([])
        }
        await journal.append(sessionId, [textEnded(text)])
        expect(partsIn(await askAll(), secret)).toEqual([])
        expect(partsIn(heard.join('\n'), secret)).toEqual([])
      },
    ),
    { numRuns: 6 },
  )
  expect(heard.join('\n')).toContain('as you know')
}, 60_000)

test('no preview in a list or snapshot ends within a secret', async () => {
  const { journal, secrets, sessionId, heard, askAll } = await setup()
  const words = fc.sample(secretWord, 4)
  for (const [index, before] of [385, 390, 395, 398].entries()) {
    const secret = words[index] ?? ''
    secrets.learn([secret])
    const text = `${'word '.repeat(100).slice(0, before)} ${secret} end`
    const drafts: EventDraft[] = [
      messageQueued(text),
      textEnded(text),
      { type: 'completion.recorded', data: { toolUseId: null, result: text, success: true } },
    ]
    for (const draft of drafts) {
      await journal.append(sessionId, [draft])
      expect(partsIn(await askAll(), secret)).toEqual([])
    }
    expect(partsIn(heard.join('\n'), secret)).toEqual([])
  }
})
