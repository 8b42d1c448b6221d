/** Content that is hidden from a viewer. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { aPerson, ids, messageQueued, textEnded } from '../../../test/support/build.js'
import { createServedRuntime } from '../../../test/support/served-runtime.js'
import { createClient } from '../../client/client.js'
import type { EventDraft } from '../../protocol/event/event.js'

const SECRETS = [
  'sk-ant-api03-canary0000000001-AAAA',
  'canary-password-0000002',
  'ghp_canary00000000000000000000000000003',
  'canary-in-the-url-0000004',
]

const said: EventDraft[] = [
  messageQueued(`Clone https://dev:${SECRETS[3]}@git.example/repo with ${SECRETS[2]}`),
  {
    type: 'tool.ended',
    data: {
      toolUseId: 'toolu_1',
      name: 'Read',
      outcome: 'completed',
      result: `API_KEY=${SECRETS[0]}\nDB_PASSWORD=${SECRETS[1]}\n`,
      durationMs: 1,
    },
  },
  textEnded(`The key is ${SECRETS[0]}.`),
]

async function setup() {
  const runtime = await createServedRuntime()
  const { id: sessionId } = await runtime.createSession()
  const toolUse = { toolUseId: 'toolu_1', name: 'Read', input: { file_path: '.env' } }
  await runtime.journal.append(sessionId, [{ type: 'tool.requested', data: toolUse }, ...said])
  const clientOf = async (role: 'viewer' | 'operator') => {
    const { secret } = await runtime.access.createToken({ name: `a ${role}`, role })
    return createClient({ url: runtime.url, token: secret })
  }
  return { ...runtime, sessionId, viewer: await clientOf('viewer'), operator: await clientOf('operator') }
}

const found = (text: string) => SECRETS.filter((secret) => text.includes(secret))

test('a viewer finds no secret in lists, snapshots, searches or streams; the rest is all there', async () => {
  const { viewer, sessionId } = await setup()
  const params = { id: sessionId }
  const seen: unknown[] = [
    await viewer.getSession({ params }),
    await viewer.listSessions({ query: {} }),
    await viewer.search({ query: { q: 'key' } }),
    await viewer.search({ query: { q: 'clone' } }),
  ]
  const { events } = await viewer.listEvents({ params, query: {} })
  const leave = new AbortController()
  onTestFinished(() => leave.abort())
  const streamed: unknown[] = []
  for await (const { event } of viewer.events({ sessionId, after: 0, signal: leave.signal })) {
    if (streamed.push(event) === events.length) break
  }

  expect(found(JSON.stringify([seen, events, streamed]))).toEqual([])
  expect(streamed).toEqual(events)
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['tool.requested', 'message.queued', 'tool.ended', 'text.ended']),
  )
  expect(JSON.stringify(events)).toContain('git.example/repo')
})

test('fragments, which could hold a part of one, are not for viewers', async () => {
  const { viewer, journal, sessionId } = await setup()
  const leave = new AbortController()
  onTestFinished(() => leave.abort())
  const types: string[] = []
  const reading = (async () => {
    for await (const { event } of viewer.events({ sessionId, after: 0, signal: leave.signal })) {
      types.push(event.type)
      if (event.type === 'notice.raised') break
    }
  })()
  await expect.poll(() => types).toContain('text.ended')
  journal.publish(sessionId, {
    type: 'text.delta',
    data: { messageId: 'm', index: 0, offset: 0, text: 'sk-' },
  })
  await journal.append(sessionId, [
    { type: 'notice.raised', data: { level: 'info', topic: 'x', text: 'end' } },
  ])
  await reading
  expect(types).not.toContain('text.delta')
})

test('who answers sees what really is', async () => {
  const { operator, sessionId } = await setup()
  const { events } = await operator.listEvents({ params: { id: sessionId }, query: {} })
  expect(found(JSON.stringify(events))).toEqual(SECRETS)
})

test('an error repeats no secret of a request', async () => {
  const { ask } = await setup()
  const [canary = ''] = SECRETS
  const texts = await Promise.all([
    ask('/api/v1/sessions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ cwd: 7, options: { env: { KEY: canary }, colour: canary } }),
    }).then((response) => response.text()),
    ask(`/api/v1/requests/${ids.next('per')}/answer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"decision":"${canary}"`,
    }).then((response) => response.text()),
    ask('/api/v1/about', { headers: { authorization: `Bearer ${canary}` } }).then((response) =>
      response.text(),
    ),
  ])
  expect(found(texts.join())).toEqual([])
})

test('a secret with quotes, or that looks like an escape, leaves every reply valid', async () => {
  const { viewer, hub, cwd, journal, sessionId, secrets } = await setup()
  // The second stands in JSON behind the escape of a line break, the third reaches over the end of a string.
  secrets.learn(['hunter77"tail-of-it', 'newpassword12', 'left","type":"'])
  await journal.append(sessionId, [
    messageQueued('he said "hunter77" and left'),
    messageQueued('a line\newpassword12, and hunter77"tail-of-it'),
  ])
  await hub.createSession({ cwd, title: 'left' }, aPerson)

  const params = { id: sessionId }
  const seen = JSON.stringify([
    await viewer.listSessions({ query: {} }),
    await viewer.getSession({ params }),
    await viewer.listEvents({ params, query: {} }),
    await viewer.search({ query: { q: 'said' } }),
  ])
  expect(seen).toContain('he said')
  expect(seen).not.toContain('tail-of-it')
})

test('what a session is given with its first message is hidden from the start', async () => {
  const { viewer, hub, cwd } = await setup()
  await writeFile(join(cwd, '.env'), 'KEY=marble-in-a-file-77\n')
  const events = viewer.events({})
  const first = events.next()

  const { id } = await hub.createSession(
    {
      cwd,
      prompt: 'use velvet-given-value-88 and marble-in-a-file-77',
      options: { env: { PLAIN: 'velvet-given-value-88' } },
    },
    aPerson,
  )

  const seen = JSON.stringify([
    await viewer.listEvents({ params: { id }, query: {} }),
    await viewer.getSession({ params: { id } }),
    (await first).value,
  ])
  expect(seen).toContain('use [redacted]')
  expect(seen).not.toMatch(/velvet-given|marble-in/)
  await events.return?.(undefined)
})

test('a change of options hides what it gives before it is published', async () => {
  const { viewer, hub, sessionId } = await setup()
  await hub.change(sessionId, { options: { env: { PLAIN: 'velvet-given-later-99' } } }, aPerson)
  await hub.send(sessionId, { text: 'velvet-given-later-99' }, aPerson)
  const seen = await viewer.listEvents({ params: { id: sessionId }, query: {} })
  expect(JSON.stringify(seen)).not.toContain('velvet-given')
})

test('a viewer cannot find out a secret by filtering for it', async () => {
  const { viewer, operator, hub, cwd, secrets } = await setup()
  secrets.learn(['quartz-secret-4711'])
  const { id } = await hub.createSession({ cwd, externalId: 'job-quartz-secret-4711' }, aPerson)
  const { id: open } = await hub.createSession({ cwd, externalId: 'job-2' }, aPerson)
  const listed = async (who: typeof viewer, externalId: string) =>
    (await who.listSessions({ query: { externalId } })).sessions.map((session) => session.id)

  expect(await listed(viewer, 'job-quartz-secret-4711')).toEqual([])
  expect(await listed(operator, 'job-quartz-secret-4711')).toEqual([id])
  expect(await listed(viewer, 'job-2')).toEqual([open])
})
