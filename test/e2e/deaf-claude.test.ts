/** The real CLI, stopped by a signal before it has read anything: every request about its session is answered. */

import { expect, test } from 'vitest'
import { makePlace, processesOf, startDaemonProcess } from '../support/daemon-process.js'

test('a CLI that hangs before its first turn hangs nobody else, and its session can be stopped', async () => {
  const place = await makePlace(() => ({ rules: [{ reply: [{ text: 'ok' }] }] }))
  const { client, stop } = await startDaemonProcess(place)
  const { session } = await client.createSession({ body: { cwd: place.cwd, prompt: 'hello' } })
  await expect.poll(() => processesOf(place.home)).not.toEqual([])
  for (const pid of processesOf(place.home)) process.kill(pid, 'SIGSTOP')

  const params = { id: session.id }
  // Nothing is lost with a process that has said nothing: an interrupt ends it, and what waited for it is cancelled.
  const [interrupted] = await Promise.all([
    client.interruptSession({ params, body: {} }),
    Promise.allSettled([client.changeSession({ params, body: { permissionMode: 'plan' } })]),
    expect.poll(async () => (await client.getSession({ params })).session.condition).toBe('starting'),
  ])
  expect(interrupted.session).toMatchObject({ queue: [], state: 'idle' })
  await client.stopSession({ params, body: {} })

  expect((await client.getSession({ params })).session).toMatchObject({ state: 'ended', condition: null })
  expect(processesOf(place.home)).toEqual([])
  await stop()
})
