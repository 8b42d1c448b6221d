/** The MCP server of a real daemon: as a program, driven by the client of the MCP SDK, and inside a real session. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import type { ScriptInput } from '../../src/scripted/script.js'
import {
  allEvents,
  expectOrderly,
  MAIN,
  makePlace,
  pendingRequest,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { whenDone } from '../support/when-done.js'

const script: ScriptInput = {
  rules: [
    { when: { toolResult: '*' }, reply: [{ text: '{{toolResult}}' }] },
    { when: { user: 'make' }, reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
    {
      when: { user: '/approve (\\S+)/' },
      reply: [{ tool: 'mcp__desk__answer_request', input: { requestId: '{{match.1}}', decision: 'allow' } }],
    },
    { reply: [{ text: 'ok' }] },
  ],
}

async function setup() {
  const place = await makePlace(() => script)
  const daemon = await startDaemonProcess(place)
  const body = { name: 'desk', role: 'operator', answersByMcp: true } as const
  const { secret } = await daemon.client.createToken({ body })
  const tokenFile = join(place.folder, 'desk-token')
  await writeFile(tokenFile, `${secret}\n`, { mode: 0o600 })
  const connect = async (args: string[] = []) => {
    const client = new Client({ name: 'test', version: '1' })
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'mcp', '--home', place.home, ...args],
      env: place.env,
    })
    await client.connect(transport)
    whenDone(() => client.close())
    return client
  }
  return { place, daemon, secret, tokenFile, connect }
}

async function use(client: Client, name: string, args: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: args })
  const [{ text }] = result.content as [{ text: string }]
  return { isError: result.isError === true, text }
}

test('an assistant starts a session and answers for it; one inside a session answers nothing', async () => {
  const { place, daemon, secret, tokenFile, connect } = await setup()
  const { client } = daemon
  const reader = await connect()
  expect((await reader.listTools()).tools.map(({ name }) => name)).not.toContain('start_session')

  const desk = await connect(['--token-file', tokenFile])
  const updated: string[] = []
  desk.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    updated.push(params.uri)
  })
  await desk.subscribeResource({ uri: 'signalbox://inbox' })
  const started = await use(desk, 'start_session', { folder: place.cwd, prompt: 'make' })
  const { session } = JSON.parse(started.text) as { session: { id: string } }
  const { id: requestId } = await pendingRequest(client, session.id)
  await expect.poll(() => updated).toContain('signalbox://inbox')

  // The real CLI, as an MCP client over HTTP, with a token that may answer.
  const { session: agent } = await client.createSession({
    body: {
      cwd: place.cwd,
      prompt: `approve ${requestId}`,
      permissionMode: 'bypassPermissions',
      options: {
        mcpServers: {
          desk: { type: 'http', url: `${daemon.url}/mcp`, headers: { Authorization: `Bearer ${secret}` } },
        },
      },
    },
  })
  await sessionWhen(client, agent.id, ({ state, turns }) => state === 'idle' && turns > 0)
  const ended = (await allEvents(client, agent.id)).find((event) => event.type === 'tool.ended')
  expect(ended?.data).toMatchObject({ name: 'mcp__desk__answer_request', outcome: 'failed' })
  expect(JSON.stringify(ended?.data)).toContain('This client runs inside a session')
  expect(JSON.parse((await use(desk, 'list_requests')).text)).toMatchObject({ requests: [{ id: requestId }] })

  expect((await use(desk, 'answer_request', { requestId, decision: 'allow' })).isError).toBe(false)
  await sessionWhen(client, session.id, ({ state, turns }) => state === 'idle' && turns === 1)
  expect((await use(reader, 'read_transcript', { sessionId: session.id })).text).toContain('allow by desk')
  await expectOrderly(client)
  await daemon.stop()
  await expect(desk.listResources()).rejects.toThrow(/signalbox start/)
})
