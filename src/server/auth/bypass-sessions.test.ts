/** Every way to a session that runs without asking: for admins only. */

import { once } from 'node:events'
import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { ids, permissionRequested } from '../../../test/support/build.js'
import { createServedRuntime } from '../../../test/support/served-runtime.js'
import { type Client, createClient } from '../../client/client.js'

const FREE = 'bypassPermissions'

async function setup() {
  const runtime = await createServedRuntime({ agents: { wild: { mode: FREE }, tame: { mode: 'plan' } } })
  const { secret } = await runtime.access.createToken({ name: 'an operator', role: 'operator' })
  const free = await runtime.createSession(undefined, { permissionMode: FREE })
  const tame = await runtime.createSession()
  const operator = createClient({ url: runtime.url, token: secret })
  return { ...runtime, secret, operator, free: { id: free.id }, tame: { id: tame.id } }
}
type Setup = Awaited<ReturnType<typeof setup>>

const FORBIDDEN = { code: 'role_insufficient', details: { needed: 'admin', role: 'operator' } }

const orders: Record<string, (client: Client, params: { id: string }, cwd: string) => Promise<unknown>> = {
  send: (client, params) => client.sendMessage({ params, body: { text: 'do it' } }),
  edit: (client, params) =>
    client.editMessage({ params: { ...params, messageId: ids.next('msg') }, body: { text: 'x' } }),
  fork: (client, params) => client.forkSession({ params, body: { prompt: 'do it' } }),
  'fork with a title only': (client, params) => client.forkSession({ params, body: { title: 'x' } }),
  resume: (client, params) => client.resumeSession({ params, body: {} }),
  'go on': (client, params) => client.resumeSession({ params, body: { continue: true } }),
  compact: (client, params) => client.compactSession({ params, body: { instructions: 'do it' } }),
  options: (client, params) => client.changeSession({ params, body: { options: { systemPrompt: 'do it' } } }),
  servers: (client, params) => client.setMcpServers({ params, body: { configured: [] } }),
}

test.each(Object.entries(orders))('%s', async (_, order) => {
  const { operator, client, free, tame, cwd, events } = await setup()
  const before = await events(free.id)

  await expect(order(operator, free, cwd)).rejects.toMatchObject(FORBIDDEN)

  expect(await events(free.id)).toEqual(before)
  // A command that fails for another reason gets that error.
  for (const [who, params] of [
    [operator, tame],
    [client, free],
  ] as const) {
    const outcome = await order(who, params, cwd).catch((error: { code?: string }) => error)
    expect(outcome).not.toMatchObject({ code: 'role_insufficient' })
  }
})

test('who goes on with the newest conversation of a folder orders the session that has it', async () => {
  const { operator, client, folder, cwd, hub, free, tame } = await setup()
  const projects = join(folder, 'claude/projects/-x')
  await mkdir(projects, { recursive: true })
  const goOn = async (who: Client, id: string, at: number) => {
    const { claudeSessionId, conversation } = await hub.session(id)
    const record = join(projects, `${claudeSessionId ?? conversation.id}.jsonl`)
    await writeFile(record, `${JSON.stringify({ type: 'user', cwd })}\n`)
    await utimes(record, at, at)
    return who.createSession({ body: { cwd, continue: true, prompt: 'do it' } })
  }
  await expect(goOn(operator, free.id, 1_000)).rejects.toMatchObject(FORBIDDEN)
  expect((await goOn(client, free.id, 2_000)).session.id).toBe(free.id)
  expect((await goOn(operator, tame.id, 3_000)).session.id).toBe(tame.id)
})

test('a session cannot be begun without asking, by its mode, its agent or its policy', async () => {
  const { operator, client, cwd } = await setup()
  const create = (body: object) => operator.createSession({ body: { cwd, ...body } })
  await expect(create({ permissionMode: FREE })).rejects.toMatchObject(FORBIDDEN)
  await expect(create({ agent: 'wild' })).rejects.toMatchObject(FORBIDDEN)
  await expect(create({ policy: 'classic' })).rejects.toMatchObject(FORBIDDEN)
  expect((await create({ agent: 'tame' })).session.permissionMode).toBe('plan')
  expect((await create({ agent: 'wild', permissionMode: 'default' })).session.permissionMode).toBe('default')
  const free = await client.createSession({ body: { cwd, agent: 'wild' } })
  expect(free.session.permissionMode).toBe(FREE)
})

test('its mode and its name are no orders: the mode can be taken back', async () => {
  const { operator, free } = await setup()
  const change = (body: object) => operator.changeSession({ params: free, body })
  expect((await change({ title: 'Wild' })).session.title).toBe('Wild')
  await expect(change({ permissionMode: FREE })).rejects.toMatchObject(FORBIDDEN)
  expect((await change({ permissionMode: 'default' })).session.permissionMode).toBe('default')
  await expect(orders['send']?.(operator, free, '')).resolves.toBeDefined()
})

test('an answer is an order too, and a plan is not approved into that mode', async () => {
  const { operator, client, journal, free, tame, url, secret } = await setup()
  const ask = async ({ id }: { id: string }, toolName: string) => {
    const requestId = ids.next('per')
    await journal.append(id, [permissionRequested(requestId, { toolName, plan: '1. Do it' })])
    return requestId
  }
  const [ofFree, plan] = [await ask(free, 'Write'), await ask(tame, 'ExitPlanMode')]
  const answer = (id: string, body: { decision: 'allow'; mode?: typeof FREE }) =>
    operator.answerRequest({ params: { id }, body })
  await expect(answer(ofFree, { decision: 'allow' })).rejects.toMatchObject(FORBIDDEN)
  await expect(answer(plan, { decision: 'allow', mode: FREE })).rejects.toMatchObject(FORBIDDEN)

  const said = await sayAll(url, secret, [
    { type: 'send', sessionId: free.id, text: 'do it' },
    { type: 'permission_response', requestId: ofFree, decision: 'allow' },
    { type: 'permission_response', requestId: plan, decision: 'allow', mode: FREE },
    { type: 'send', sessionId: tame.id, text: 'do it' },
    { type: 'permission_response', requestId: plan, decision: 'allow' },
  ])

  expect(said).toEqual(['role_insufficient', 'role_insufficient', 'role_insufficient', 'ack', 'ack'])
  const { request } = await client.answerRequest({ params: { id: ofFree }, body: { decision: 'deny' } })
  expect(request.resolution).toMatchObject({ decision: 'deny' })
})

test('a call that starts an agent in a freer mode is denied by operators, and allowed by admins only', async () => {
  const { operator, client, journal, tame, url, secret } = await setup()
  const ask = async () => {
    const requestId = ids.next('per')
    await journal.append(tame.id, [permissionRequested(requestId, { freerMode: 'acceptEdits' })])
    return requestId
  }
  const [first, second] = [await ask(), await ask()]
  for (const decision of ['allow', 'allowAll'] as const) {
    await expect(operator.answerRequest({ params: { id: first }, body: { decision } })).rejects.toMatchObject(
      FORBIDDEN,
    )
  }
  const said = await sayAll(url, secret, [
    { type: 'permission_response', requestId: first, decision: 'allow' },
    { type: 'permission_response', requestId: second, decision: 'deny' },
  ])

  expect(said).toEqual(['role_insufficient', 'ack'])
  const { request } = await client.answerRequest({ params: { id: first }, body: { decision: 'allow' } })
  expect(request.resolution).toMatchObject({ decision: 'allow' })
})

async function sayAll(url: Setup['url'], secret: string, messages: readonly object[]): Promise<string[]> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/ws`, {
    headers: { authorization: `Bearer ${secret}` },
  })
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  const said: string[] = []
  for (const message of messages) {
    socket.send(JSON.stringify(message))
    const [data] = (await once(socket, 'message')) as [Buffer]
    const { type, error } = JSON.parse(data.toString()) as { type: string; error?: { code: string } }
    said.push(error?.code ?? type)
  }
  return said
}
