/**
 * The audit in use: it has every action of the real CLI, a crash loses and duplicates nothing, a change is
 * detected.
 */

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/lib/sqlite/driver.js'
import type { Session } from '../../src/protocol/session.js'
import {
  allEvents,
  MAIN,
  makePlace,
  pendingRequest,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'

const run = promisify(execFile)

test('decisions of people and of the policy are in it, over a crash; verify works with and without the daemon', async () => {
  const place = await makePlace((cwd) => ({
    rules: [
      { when: { user: 'read' }, reply: [{ tool: 'Read', input: { file_path: join(cwd, 'a') } }] },
      {
        when: { user: 'write' },
        reply: [{ tool: 'Write', input: { file_path: join(cwd, 'a'), content: 'a' } }],
      },
      { reply: [{ text: 'ok' }] },
    ],
  }))
  const signalbox = (...args: string[]) =>
    run(process.execPath, [MAIN, ...args, '--home', place.home], { env: place.env, cwd: place.cwd })
  const daemon = await startDaemonProcess(place)
  const { client } = daemon
  const { session } = await client.createSession({ body: { cwd: place.cwd, prompt: 'write' } })
  const { id } = session
  const isIdle = (turns: number) => (now: Session) => now.state === 'idle' && now.turns === turns
  const asked = await pendingRequest(client, id)
  await client.answerRequest({ params: { id: asked.id }, body: { decision: 'allow' } })
  await sessionWhen(client, id, isIdle(1))
  await client.sendMessage({ params: { id }, body: { text: 'read' } })
  await sessionWhen(client, id, isIdle(2))
  await daemon.kill()

  expect(await signalbox('audit', 'verify')).toMatchObject({ stderr: expect.stringContaining('2 entries') })
  const next = await startDaemonProcess(place)
  const { records } = await next.client.listAudit({ query: {} })
  expect(records.toReversed()).toMatchObject([
    {
      kind: 'request.resolved',
      who: 'admin',
      via: 'api',
      verdict: 'allow',
      requestId: asked.id,
      digest: asked.inputDigest,
    },
    { kind: 'call.judged', by: 'policy', verdict: 'allow', subject: expect.stringContaining('Read') },
  ])
  const events = await allEvents(next.client, id)
  expect(events.filter(({ type }) => type === 'tool.judged' || type === 'permission.resolved')).toHaveLength(
    2,
  )
  expect((await signalbox('audit')).stdout).toMatch(/admin \(api\) +allow +Write: a$/m)
  const people = await signalbox('audit', '--people', '--tool', 'write', '--since', '1d', '--session', id)
  expect(people.stdout).toMatch(/Write: a$/m)
  expect(people.stdout).not.toContain('Read')
  const newest = await signalbox('audit', '--limit', '1')
  expect(newest).toMatchObject({
    stdout: expect.stringContaining('Read'),
    stderr: 'Earlier entries: --before 2\n',
  })
  expect((await signalbox('audit', '--before', '2')).stdout).not.toContain('Read')
  expect((await signalbox('audit', '--verdict', 'deny')).stderr).toBe('No audit entries.\n')
  await expect(signalbox('audit', '--kind', 'nonsense')).rejects.toMatchObject({ code: 2 })
  expect(JSON.parse((await signalbox('audit', 'verify', '--json')).stdout)).toMatchObject({
    isIntact: true,
    rows: 2,
  })
  await next.stop()

  const database = await openDatabase(join(place.home, 'signalbox.db'))
  database.exec(
    `UPDATE audit SET entry = replace(entry, '"verdict":"allow"', '"verdict":"deny"') WHERE number = 1`,
  )
  database.close()
  await expect(signalbox('audit', 'verify')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Entry 1 was changed.'),
  })
})
