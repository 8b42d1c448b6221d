/** A form of an MCP server around a kill of the daemon: its answer is used, or the user hears what has become of it. */

import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Session } from '../../src/protocol/session.js'
import {
  allEvents,
  expectOrderly,
  makePlace,
  pendingRequest,
  processesOf,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'

const MCP_SERVER = fileURLToPath(new URL('../support/mcp-server.mjs', import.meta.url))
const REPLY = { action: 'accept', content: { name: 'Kim', colour: 'blue' } } as const
const isForm = ({ pendingRequests: [first] }: Session) => first?.startsWith('que_') === true

/** A session whose agent has called a tool that asks with a form. */
async function elicit() {
  const place = await makePlace(() => ({
    rules: [
      { when: { toolResult: '*' }, reply: [{ text: 'Told: {{toolResult}}' }] },
      {
        when: { user: '/go|Continue from where you left off/' },
        reply: [{ tool: 'mcp__kit__register', input: {} }],
      },
      { reply: [{ text: 'You said: {{user}}' }] },
    ],
  }))
  const daemon = await startDaemonProcess(place)
  const { client } = daemon
  const options = { mcpServers: { kit: { command: process.execPath, args: [MCP_SERVER] } } }
  const { session } = await client.createSession({ body: { cwd: place.cwd, options } })
  const { id } = session
  const mcp = async () => JSON.stringify(await client.inspectSession({ params: { id, what: 'mcp' } }))
  await expect.poll(mcp, { timeout: 20_000 }).toContain('"connected"')
  await client.sendMessage({ params: { id }, body: { text: 'go' } })
  const call = await pendingRequest(client, id)
  await client.answerRequest({ params: { id: call.id }, body: { decision: 'allow' } })
  await sessionWhen(client, id, isForm)
  return { place, daemon, id, asked: await pendingRequest(client, id) }
}

test('an answer after the daemon was killed reaches the server that asks again', async () => {
  const { place, daemon: before, id, asked } = await elicit()
  await before.kill()
  const { client, ...daemon } = await startDaemonProcess(place)
  const form = async () => (await client.getRequest({ params: { id: asked.id } })).request
  await expect.poll(async () => (await form()).isParked, { timeout: 10_000 }).toBe(true)

  await client.answerRequest({ params: { id: asked.id }, body: REPLY })

  // The call itself may have done something before the form: it is asked again.
  const call = await pendingRequest(client, id)
  await client.answerRequest({ params: { id: call.id }, body: { decision: 'allow' } })
  const { lastText } = await sessionWhen(client, id, ({ state, turns }) => state === 'idle' && turns === 2)
  expect(lastText).toContain('registered {"action":"accept","content":{"name":"Kim","colour":"blue"')
  expect((await allEvents(client, id)).filter(({ type }) => type === 'question.requested')).toHaveLength(1)
  await expectOrderly(client)
  await daemon.stop()
})

test('an answer that may not have reached the server when the daemon was killed is explained', async () => {
  const { place, daemon: before, id, asked } = await elicit()
  for (const pid of processesOf(place.home)) process.kill(pid, 'SIGSTOP')
  await before.client.answerRequest({ params: { id: asked.id }, body: REPLY })
  await before.kill()

  const { client, ...daemon } = await startDaemonProcess(place)

  const notices = async () =>
    (await allEvents(client, id)).flatMap(({ type, data }) => (type === 'notice.raised' ? [data.text] : []))
  await expect.poll(notices).toContainEqual(expect.stringContaining('"Who are you?" of the MCP server kit'))
  await client.resumeSession({ params: { id }, body: { continue: true } })
  const call = await pendingRequest(client, id)
  await client.answerRequest({ params: { id: call.id }, body: { decision: 'allow' } })
  await sessionWhen(client, id, isForm)
  const again = await pendingRequest(client, id)
  expect(again.id).not.toBe(asked.id)
  await client.answerRequest({ params: { id: again.id }, body: REPLY })
  await sessionWhen(client, id, ({ state, turns }) => state === 'idle' && turns === 2)
  await expectOrderly(client)
  await daemon.stop()
})
