/** The list of sessions on the command line, with the real CLI: names, conditions, and what users keep of it. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import {
  MAIN,
  makePlace,
  type Place,
  pendingRequest,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'

const place = () =>
  makePlace((cwd) => ({
    rules: [
      {
        when: { user: 'write' },
        reply: [{ tool: 'Write', input: { file_path: join(cwd, 'a.txt'), content: 'a' } }],
      },
      { when: { toolResult: '*' }, reply: [{ text: 'Written.' }] },
      { when: { user: 'fail' }, times: 1, reply: [{ error: 400, message: 'prompt is too long' }] },
      { reply: [{ text: 'You said: {{user}}' }] },
    ],
  }))

async function signalbox({ env, cwd, home }: Place, ...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args, '--home', home], { env, cwd, stdio: 'pipe' })
  child.stdin.end()
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, stdout, stderr }
}

test('a session has the name of its first prompt in every list, whatever is sent later', async () => {
  const at = await place()
  const { client, stop } = await startDaemonProcess(at)
  const { session } = await client.createSession({ body: { cwd: at.cwd, prompt: '## Fix the **login**' } })
  const params = { id: session.id }
  await sessionWhen(client, session.id, ({ turns, state }) => turns === 1 && state === 'idle')
  await client.sendMessage({ params, body: { text: '/compact' } })
  await sessionWhen(client, session.id, ({ turns, state }) => turns === 2 && state === 'idle')
  await client.sendMessage({ params, body: { text: 'write now' } })
  await pendingRequest(client, session.id)

  const lists = [
    await signalbox(at, 'sessions'),
    await signalbox(at, 'show', session.id),
    await signalbox(at, 'inbox'),
    await signalbox(at, 'search', 'login'),
    await signalbox(at, 'usage', '--by', 'session'),
    await signalbox(at, 'export', session.id),
  ]
  for (const { stdout } of lists) expect(stdout).toContain('Fix the login')
  expect((await client.getSession({ params })).session).toMatchObject({
    title: null,
    name: 'Fix the login',
    lastPrompt: 'write now',
  })
  await stop()
})

test('a failed session is found by its condition, and continued by sending its message again', async () => {
  const at = await place()
  const { client, stop } = await startDaemonProcess(at)
  const { session } = await client.createSession({ body: { cwd: at.cwd, prompt: 'fail once' } })
  const { id } = await sessionWhen(client, session.id, ({ condition }) => condition === 'failed')

  expect((await signalbox(at, 'sessions', '--condition', 'failed')).stdout).toMatch(
    new RegExp(`${id} +Failed `),
  )
  expect((await signalbox(at, 'show', id)).stdout).toMatch(/reason +.*too long/)
  expect(await signalbox(at, 'sessions', '--condition', 'broken')).toMatchObject({ code: 2 })
  expect(await signalbox(at, 'resume', id, '--continue')).toMatchObject({ code: 0 })
  await sessionWhen(client, id, ({ state, turns }) => state === 'idle' && turns === 2)

  const { session: after } = await client.getSession({ params: { id } })
  expect(after).toMatchObject({
    condition: null,
    failure: null,
    lastText: expect.stringContaining('You said: fail once'),
  })
  const { sessions } = await client.listSessions({ query: { condition: 'failed' } })
  expect(sessions).toEqual([])
  await stop()
})

test('sessions are pinned, archived and tagged, and listed by it, also after a restart', async () => {
  const at = await place()
  const first = await startDaemonProcess(at)
  const create = async (title: string) =>
    (await first.client.createSession({ body: { cwd: at.cwd, title } })).session.id
  const [one, two] = [await create('One'), await create('Two')]
  expect(await signalbox(at, 'pin', one)).toMatchObject({ code: 0 })
  expect((await signalbox(at, 'tag', one, 'login', 'urgent')).stdout).toBe('login\nurgent\n')
  expect((await signalbox(at, 'tag', one, 'urgent', '--remove')).stdout).toBe('login\n')
  expect(await signalbox(at, 'tag', one, 'a,b')).toMatchObject({ code: 2 })
  expect(await signalbox(at, 'archive', two, 'ses_nothing')).toMatchObject({ code: 3 })
  expect(await signalbox(at, 'archive', two)).toMatchObject({ code: 0 })
  await first.stop()

  const again = await startDaemonProcess(at)
  const listed = async (...args: string[]) => {
    const { stdout } = await signalbox(at, 'sessions', '--json', ...args)
    return (JSON.parse(stdout) as { sessions: { id: string }[] }).sessions.map(({ id }) => id)
  }
  expect(await listed()).toEqual([one])
  expect(await listed('--tag', 'login')).toEqual([one])
  expect(await listed('--archived')).toEqual([two])
  expect(await listed('--all')).toEqual([two, one])
  const { session } = await again.client.getSession({ params: { id: one } })
  expect(session).toMatchObject({ isPinned: true, isArchived: false, tags: ['login'] })
  await signalbox(at, 'archive', two, '--undo')
  expect(await listed()).toEqual([two, one])
  await again.stop()
})
