/** The stand-in for the CLI behaves as the real one does, as far as other tests rely on it. */

import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Session } from '../../src/protocol/session.js'
import {
  allEvents,
  expectOrderly,
  pendingRequest,
  processesOf,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { makeStandInPlace } from '../support/stand-in.js'

const isIdle = (turns: number) => (session: Session) => session.state === 'idle' && session.turns === turns

test('it talks, asks, takes answers, is interrupted, and ends', async () => {
  const place = await makeStandInPlace()
  const daemon = await startDaemonProcess(place)
  const { client } = daemon
  const input = { file_path: join(place.cwd, 'a'), content: 'a' }
  const prompt = `say Hello there\nask Write ${JSON.stringify(input)}\nask Read {"file_path":"a"}\nand this`
  const { session } = await client.createSession({ body: { cwd: place.cwd, prompt, options: place.options } })
  const { id } = session

  const asked = await pendingRequest(client, id)
  expect(asked).toMatchObject({ toolName: 'Write', input })
  const updatedInput = { ...input, content: 'b' }
  await client.answerRequest({ params: { id: asked.id }, body: { decision: 'allow', updatedInput } })
  expect(await sessionWhen(client, id, isIdle(1))).toMatchObject({ lastText: 'You said: and this' })
  expect(await place.decisions()).toMatchObject([
    { tool: 'Write', input, reply: { behavior: 'allow', updatedInput } },
    { tool: 'Read', reply: { behavior: 'allow', by: 'hook' } },
  ])

  await client.sendMessage({ params: { id }, body: { text: 'talk 1000 20' } })
  await sessionWhen(client, id, ({ partial }) => partial?.kind === 'text' && partial.text.length > 10)
  await client.interruptSession({ params: { id }, body: {} })
  await sessionWhen(client, id, isIdle(2))

  await client.sendMessage({ params: { id }, body: { text: 'crash' } })
  await sessionWhen(client, id, isIdle(3))
  await client.sendMessage({ params: { id }, body: { text: 'hello again' } })
  expect(await sessionWhen(client, id, isIdle(4))).toMatchObject({ lastText: 'You said: hello again' })
  const outcomes = (await allEvents(client, id)).flatMap((event) =>
    event.type === 'turn.ended' ? [event.data.stopReason] : [],
  )
  expect(outcomes).toEqual(['finished', 'interrupted', 'crashed', 'finished'])

  await client.sendMessage({ params: { id }, body: { text: 'ignore-term\norphan 60000\nhang' } })
  await expect.poll(() => processesOf(place.home).length, { timeout: 10_000 }).toBe(2)
  await client.stopSession({ params: { id }, body: {} })
  expect(processesOf(place.home)).toEqual([])
  await expectOrderly(client)
  await daemon.stop()
})

test('a process that ends at its start fails the message with what it said', async () => {
  const place = await makeStandInPlace()
  const daemon = await startDaemonProcess(place)
  const { client } = daemon
  const options = { env: { STAND_IN_EXIT: '7' } }
  const { session } = await client.createSession({ body: { cwd: place.cwd, prompt: 'hi', options } })

  await sessionWhen(client, session.id, ({ queue }) => queue.length === 0)
  const raised = (await allEvents(client, session.id)).find((event) => event.type === 'error.raised')
  expect(raised?.data).toMatchObject({ code: 'claude_failed' })
  expect(JSON.stringify(raised?.data)).toContain('told to end at the start')
  await expectOrderly(client)
  await daemon.stop()
})
