/** A CLI that hangs, before it has read anything or in its work: requests about its session are answered, and the daemon ends. */

import { expect, test } from 'vitest'
import { makePlace, processesOf, sessionWhen, startDaemonProcess } from '../support/daemon-process.js'
import { makeStandInPlace } from '../support/stand-in.js'

test('a CLI that hangs before its first turn hangs nobody else, and its session can be stopped', async () => {
  const place = await makePlace(() => ({ rules: [{ reply: [{ text: 'ok' }] }] }))
  const { client, stop } = await startDaemonProcess(place)
  const { session } = await client.createSession({ body: { cwd: place.cwd, prompt: 'hello' } })
  await expect.poll(() => processesOf(place.home)).not.toEqual([])
  for (const pid of processesOf(place.home)) process.kill(pid, 'SIGSTOP')

  const params = { id: session.id }
  // Nothing is lost with a process that has said nothing: an interrupt ends it, and what waited for it is cancelled.
  await Promise.all([
    Promise.allSettled([client.changeSession({ params, body: { permissionMode: 'plan' } })]),
    expect
      .poll(async () => (await client.getSession({ params })).session.condition, { timeout: 15_000 })
      .toBe('starting'),
  ])
  const began = performance.now()
  const interrupted = await client.interruptSession({ params, body: {} })
  expect(performance.now() - began).toBeLessThan(5_000)
  expect(interrupted.session).toMatchObject({ queue: [], state: 'idle' })
  await client.stopSession({ params, body: {} })

  expect((await client.getSession({ params })).session).toMatchObject({ state: 'ended', condition: null })
  expect(processesOf(place.home)).toEqual([])
  await stop()
})

test('a daemon that has no time left kills a CLI that hangs before it ends itself', async () => {
  const place = await makeStandInPlace()
  const { client, child, url, stop } = await startDaemonProcess(place)
  const { session } = await client.createSession({ body: { cwd: place.cwd, prompt: 'say one\nhang' } })
  await sessionWhen(client, session.id, ({ turn }) => turn !== null)
  const hanging = processesOf(place.home)
  for (const pid of hanging) process.kill(pid, 'SIGSTOP')

  child.kill('SIGTERM')
  await expect.poll(() => fetch(url).catch(() => null)).toBeNull() // It is closing.
  expect(await stop()).toBeNull()

  expect(hanging).not.toEqual([])
  expect(child.signalCode).toBe('SIGKILL')
  await expect.poll(() => processesOf(place.home)).toEqual([])
  const next = await startDaemonProcess(place)
  expect((await next.client.getSession({ params: { id: session.id } })).session.turn).toBeNull()
  await next.stop()
})
