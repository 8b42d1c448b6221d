/** Notifications of a real daemon that is killed while it sends one. */

import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import {
  allEvents,
  expectOrderly,
  MAIN,
  makePlace,
  pendingRequest,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { startFakeService } from '../support/fake-service.js'

const run = promisify(execFile)

interface Sent {
  id: string
  data: { actions: { token: string }[]; answerUrl: string }
}

test('a daemon that is killed while it sends delivers the same notification, whose link then answers once', async () => {
  const service = await startFakeService(() => ({ status: 204 }))
  const place = await makePlace((cwd) => ({
    rules: [{ reply: [{ tool: 'Write', input: { file_path: join(cwd, 'a.txt'), content: 'a' } }] }],
  }))
  await mkdir(place.home)
  await writeFile(
    join(place.home, 'config.jsonc'),
    JSON.stringify({
      notifications: { afterMs: 0, batchMs: 0, presenceMs: 0, deskMs: 0, privateAddresses: ['127.0.0.1'] },
    }),
    { mode: 0o600 },
  )
  const first = await startDaemonProcess(place)
  const signalbox = (...args: string[]) =>
    run(process.execPath, [MAIN, ...args, '--home', place.home], { env: place.env, cwd: place.cwd })
  const added = ['--kind', 'webhook', '--url', service.url, '--may', 'answer', '--json']
  const { secret } = JSON.parse((await signalbox('channels', 'add', 'hook', ...added)).stdout) as {
    secret: string
  }
  expect(secret).toMatch(/^whsec_/)
  await signalbox('channels', 'test', 'hook')
  expect((await signalbox('channels')).stdout).toMatch(/hook +webhook +admin +answer +ok/)
  service.planned.push('hang')
  const { session } = await first.client.createSession({ body: { cwd: place.cwd, prompt: 'write' } })
  const request = await pendingRequest(first.client, session.id)
  await expect.poll(() => service.requests.length).toBe(2)

  await first.kill()
  const { client, url, stderr } = await startDaemonProcess(place)

  await expect.poll(() => service.requests.length).toBe(3)
  const [, before, after] = service.requests.map(({ body }) => JSON.parse(body) as Sent)
  expect(after?.id).toBe(before?.id)
  const delivered = async () =>
    (await allEvents(client, session.id)).filter(({ type }) => type === 'notification.delivered')
  await expect.poll(delivered).toHaveLength(1)

  // A scanner of links follows it; the user presses the button twice.
  const token = after?.data.actions[0]?.token ?? ''
  expect(after?.data.answerUrl).toBe(`${url}/answer#${token}`)
  expect((await fetch(`${url}/answer`)).status).toBe(200)
  expect((await fetch(`${url}/api/v1/answers`)).status).toBe(405)
  expect((await client.getRequest({ params: { id: request.id } })).request.state).toBe('pending')
  const answer = () => client.answerByToken({ body: { token, decision: 'deny' } })
  await Promise.all([answer(), answer()])
  await expectOrderly(client)
  const { records } = await client.listAudit({ query: { limit: 20 } })
  expect(records.filter(({ kind }) => kind === 'request.resolved')).toMatchObject([
    { verdict: 'deny', who: 'admin', via: 'channel', channel: 'hook' },
  ])

  // Only a digest of the token is on the disk.
  const files = await readdir(place.home, { recursive: true, withFileTypes: true })
  for (const file of files.filter((entry) => entry.isFile()))
    expect((await readFile(join(file.parentPath, file.name))).includes(token), file.name).toBe(false)
  expect(first.stderr() + stderr()).not.toContain('sba_')
})
