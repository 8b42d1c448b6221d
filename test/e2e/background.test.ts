/** Subagents, background work and teams: everything that they do is in the log, in order, once. */

import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Client } from '../../src/client/client.js'
import type { SessionEvent } from '../../src/protocol/event/event.js'
import {
  allEvents,
  expectOrderly,
  makePlace,
  pendingRequest,
  processesOf,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'

const agent = (name: string, more: object = {}) => ({
  tool: 'Agent',
  input: {
    description: `Send ${name}`,
    prompt: `You are ${name}.`,
    subagent_type: 'general-purpose',
    ...more,
  },
})

async function allow(
  client: Client,
  sessionId: string,
  isWanted: (toolName: string) => boolean,
): Promise<string> {
  let found = ''
  await expect
    .poll(
      async () => {
        const { requests } = await client.listRequests({ query: { sessionId, state: 'pending' } })
        found = requests.find((request) => isWanted(request.toolName))?.id ?? ''
        return found
      },
      { timeout: 20_000, interval: 30 },
    )
    .not.toBe('')
  await client.answerRequest({ params: { id: found }, body: { decision: 'allow' } })
  return found
}

function ofType<Type extends SessionEvent['type']>(events: readonly SessionEvent[], type: Type) {
  return events.filter((event): event is SessionEvent & { type: Type } => event.type === type)
}

test('a subagent in the foreground: its words and tools hang on the call that started it', async () => {
  const place = await makePlace(() => ({
    rules: [
      { when: { agent: 'You are scout', toolResult: 'Bash' }, reply: [{ text: 'Found nothing.' }] },
      {
        when: { agent: 'You are scout' },
        reply: [{ text: 'Looking.' }, { tool: 'Bash', input: { command: 'touch found' } }],
      },
      { when: { user: 'delegate' }, reply: [agent('scout', { run_in_background: false })] },
      { reply: [{ text: 'The scout is back.' }] },
    ],
  }))
  const daemon = await startDaemonProcess(place)
  const { client } = daemon
  const { session } = await client.createSession({ body: { cwd: place.cwd, prompt: 'delegate' } })
  const request = await pendingRequest(client, session.id)
  await client.answerRequest({ params: { id: request.id }, body: { decision: 'allow' } })
  await sessionWhen(client, session.id, ({ state, turns }) => state === 'idle' && turns === 1)

  const events = await allEvents(client, session.id)
  const [started] = ofType(events, 'agent.started')
  const [call] = ofType(events, 'tool.requested')
  expect(started?.data).toMatchObject({
    agentType: 'general-purpose',
    parentToolUseId: call?.data.toolUseId,
    isBackground: false,
  })
  expect(request.agentId).toBe(started?.data.agentId)
  const spoken = ofType(events, 'text.ended').filter(({ data }) => data.agentId === started?.data.agentId)
  expect(spoken.map(({ data }) => [data.text, data.parentToolUseId])).toEqual([
    ['Looking.', call?.data.toolUseId],
    ['Found nothing.', call?.data.toolUseId],
  ])
  expect(ofType(events, 'agent.ended').map(({ data }) => data)).toMatchObject([
    { outcome: 'completed', text: 'Found nothing.' },
  ])
  await expectOrderly(client)
  await daemon.stop()
})

test('a team: a lead, three agents and a shell in the background, a person who talks in between, an agent who asks', async () => {
  const place = await makePlace((cwd) => ({
    rules: [
      { when: { agent: 'You are one' }, reply: [{ delayMs: 700 }, { text: 'One has finished.' }] },
      { when: { agent: 'You are two', toolResult: 'Write' }, reply: [{ text: 'Two has finished.' }] },
      {
        when: { agent: 'You are two' },
        reply: [{ tool: 'Write', input: { file_path: join(cwd, 'two.txt'), content: 'two' } }],
      },
      { when: { agent: 'You are three' }, reply: [{ delayMs: 1_500 }, { text: 'Three has finished.' }] },
      {
        when: { user: 'start the team' },
        reply: [
          agent('one'),
          agent('two'),
          agent('three'),
          {
            tool: 'Bash',
            input: { command: `node -e 'setTimeout(()=>console.log("built"),900)'`, run_in_background: true },
          },
        ],
      },
      { when: { toolResult: '*' }, reply: [{ text: 'They are on their way.' }] },
      { when: { user: '/^(first|second) question/' }, reply: [{ text: 'Answer to: {{user}}' }] },
      { reply: [{ text: 'Noted.' }] },
    ],
  }))
  const daemon = await startDaemonProcess(place)
  const { client } = daemon
  const { session } = await client.createSession({ body: { cwd: place.cwd, prompt: 'start the team' } })
  const { id } = session
  const params = { id }
  await allow(client, id, (tool) => tool === 'Bash')
  await sessionWhen(client, id, ({ lastText }) => lastText === 'They are on their way.')
  const first = await client.sendMessage({ params, body: { text: 'first question', whenBusy: 'queue' } })
  const asked = await allow(client, id, (tool) => tool === 'Write')
  const second = await client.sendMessage({ params, body: { text: 'second question', whenBusy: 'queue' } })

  // Every task has ended, and the lead got all four results.
  await expect
    .poll(
      async () => {
        const events = await allEvents(client, id)
        const told = ofType(events, 'turn.ended').length
        const { state, agents, tasks, queue } = (await client.getSession({ params })).session
        const isQuiet =
          state === 'idle' && [agents, tasks, queue].every((open) => Object.keys(open).length === 0)
        return isQuiet && ofType(events, 'agent.ended').length === 3 && told >= 4
      },
      { timeout: 30_000, interval: 100 },
    )
    .toBe(true)

  const events = await allEvents(client, id)
  const agents = ofType(events, 'agent.started')
  expect(agents.map(({ data }) => [data.description, data.isBackground])).toEqual([
    ['Send one', true],
    ['Send two', true],
    ['Send three', true],
  ])
  const endings = ofType(events, 'agent.ended').map(({ data }) => `${data.outcome}: ${data.text}`)
  expect(new Set(endings)).toEqual(
    new Set([
      'completed: One has finished.',
      'completed: Two has finished.',
      'completed: Three has finished.',
    ]),
  )
  expect(ofType(events, 'task.started').map(({ data }) => data.isBackground)).toEqual([true])
  expect(ofType(events, 'task.ended').map(({ data }) => data.outcome)).toEqual(['completed'])
  const two = agents.find(({ data }) => data.description === 'Send two')
  expect((await client.getRequest({ params: { id: asked } })).request.agentId).toBe(two?.data.agentId)
  await access(join(place.cwd, 'two.txt'))
  const delivered = ofType(events, 'message.delivered').map(({ data }) => data.messageId)
  expect(
    delivered.filter((messageId) => [first, second].some((sent) => sent.messageId === messageId)),
  ).toEqual([first.messageId, second.messageId])
  const texts = ofType(events, 'text.ended').map(({ data }) => data.text)
  expect(texts.filter((text) => text.startsWith('Answer to'))).toEqual([
    'Answer to: first question',
    'Answer to: second question',
  ])
  const origins = ofType(events, 'turn.started').map(({ data }) => data.origin.kind)
  expect(origins.filter((kind) => kind === 'person')).toHaveLength(3)
  expect(new Set(origins)).toEqual(new Set(['person', 'task']))
  expect(ofType(events, 'turn.ended').every(({ data }) => data.outcome === 'completed')).toBe(true)
  await expectOrderly(client)
  await daemon.stop()
})

test('an interrupt stops the turn, not what runs in the background; a task is stopped by itself', async () => {
  const place = await makePlace(() => ({
    rules: [
      {
        when: { user: 'serve' },
        reply: [
          { tool: 'Bash', input: { command: `node -e 'setInterval(()=>{},1000)'`, run_in_background: true } },
        ],
      },
      { when: { user: 'talk' }, reply: [{ text: 'word '.repeat(2_000), delayMs: 10 }] },
      { reply: [{ text: 'ok' }] },
    ],
  }))
  const daemon = await startDaemonProcess(place)
  const { client } = daemon
  const { session } = await client.createSession({
    body: { cwd: place.cwd, prompt: 'serve', permissionMode: 'bypassPermissions' },
  })
  const params = { id: session.id }
  await sessionWhen(client, session.id, ({ state, turns }) => state === 'idle' && turns === 1)
  await client.sendMessage({ params, body: { text: 'talk' } })
  await sessionWhen(client, session.id, ({ partial }) => partial?.kind === 'text')
  await client.interruptSession({ params, body: {} })
  const resting = await sessionWhen(client, session.id, ({ state, turns }) => state === 'idle' && turns === 2)
  const [taskId = ''] = Object.keys(resting.tasks)
  expect(taskId).not.toBe('')
  expect(processesOf(place.home).length).toBeGreaterThan(1)

  await expect(client.stopTask({ params: { ...params, taskId: 'nothing' }, body: {} })).rejects.toMatchObject(
    { code: 'task_not_found' },
  )
  await client.stopTask({ params: { ...params, taskId }, body: {} })

  await sessionWhen(client, session.id, ({ tasks }) => Object.keys(tasks).length === 0)
  await expect.poll(() => processesOf(place.home).length, { timeout: 10_000 }).toBe(1)
  expect(ofType(await allEvents(client, session.id), 'task.ended')[0]?.data).toMatchObject({
    outcome: 'interrupted',
  })
  await expectOrderly(client)
  await daemon.stop()
})
