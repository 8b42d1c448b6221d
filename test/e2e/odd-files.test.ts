/**
 * FIFOs and devices at places where Signalbox reads files of a workspace. Any agent can make one. Opening a FIFO blocks
 * until another process writes to it, so each of them could stop the daemon, its end, or its next start.
 */

import { execFileSync } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Client } from '../../src/client/client.js'
import {
  allEvents,
  type DaemonProcess,
  expectOrderly,
  makePlace,
  pendingRequest,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'

const place = () =>
  makePlace(() => ({
    rules: [
      { when: { toolResult: '*' }, reply: [{ text: 'Done.' }] },
      { when: { user: 'git' }, reply: [{ tool: 'Bash', input: { command: 'git status' } }] },
      { reply: [{ text: 'You said: {{user}}' }] },
    ],
  }))

async function workspace(folder: string, name: string, fifos: readonly string[]): Promise<string> {
  const cwd = join(folder, name)
  await mkdir(join(cwd, '.git'), { recursive: true })
  await mkdir(join(cwd, '.claude'))
  for (const fifo of fifos) execFileSync('mkfifo', [join(cwd, fifo)])
  return cwd
}

/** The longest that one of a number of health checks took. */
async function slowestHealth({ url }: DaemonProcess): Promise<number> {
  let slowest = 0
  for (let count = 0; count < 10; count += 1) {
    const start = performance.now()
    await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(5_000) })
    slowest = Math.max(slowest, performance.now() - start)
  }
  return slowest
}

const isIdle = ({ state, queue, turns }: { state: string; queue: unknown[]; turns: number }) =>
  state === 'idle' && queue.length === 0 && turns > 0

const errorsOf = async (client: Client, id: string) =>
  (await allEvents(client, id)).flatMap((event) => (event.type === 'error.raised' ? [event.data.code] : []))

test('FIFOs in a folder that is not trusted stop neither its sessions, nor others, nor the daemon', async () => {
  const at = await place()
  const names = ['.env', 'b.env', 'c.env', '.env.local', '.git/index', '.mcp.json', '.signalbox.jsonc']
  const cwd = await workspace(at.folder, 'odd', names)
  const first = await startDaemonProcess(at)
  const { session } = await first.client.createSession({ body: { cwd, prompt: 'git' } })

  // Fails closed: the index cannot be read, so the command raises a request.
  const asked = await pendingRequest(first.client, session.id)
  expect(await slowestHealth(first)).toBeLessThan(2_000)
  await first.client.answerRequest({ params: { id: asked.id }, body: { decision: 'deny' } })
  await sessionWhen(first.client, session.id, isIdle)
  const other = await first.client.createSession({ body: { cwd: at.cwd, prompt: 'hello' } })
  await sessionWhen(first.client, other.session.id, isIdle)
  await first.kill()
  const second = await startDaemonProcess(at)

  await second.client.sendMessage({ params: { id: session.id }, body: { text: 'hello again' } })
  await sessionWhen(second.client, session.id, (found) => isIdle(found) && found.turns === 2)
  await expectOrderly(second.client)
  expect(await second.stop()).toBe(0)
})

test('FIFOs and devices in a trusted folder are reported, and the session goes on without them', async () => {
  const at = await place()
  const cwd = await workspace(at.folder, 'odd', ['.signalbox.jsonc'])
  await symlink('/dev/zero', join(cwd, '.mcp.json'))
  await symlink('/dev/zero', join(cwd, '.env'))
  const daemon = await startDaemonProcess(at)
  const { client } = daemon
  await client.trustWorkspace({ body: { path: cwd } })
  const { session } = await client.createSession({ body: { cwd, prompt: 'hello' } })

  await expect
    .poll(() => errorsOf(client, session.id), { timeout: 20_000 })
    .toEqual(expect.arrayContaining(['policy_invalid', 'mcp_config_invalid']))
  expect(await slowestHealth(daemon)).toBeLessThan(2_000)
  await client.stopSession({ params: { id: session.id }, body: {} })
  expect(await daemon.stop()).toBe(0)
})

test('a session whose Claude Code reads settings from a FIFO can be stopped, and so can the daemon', async () => {
  const at = await place()
  const cwd = await workspace(at.folder, 'odd', ['.claude/settings.json'])
  const daemon = await startDaemonProcess(at)
  const { client } = daemon
  await client.trustWorkspace({ body: { path: cwd } })
  const { session } = await client.createSession({ body: { cwd, prompt: 'git' } })
  const second = await client.createSession({ body: { cwd, prompt: 'git' } })
  await sessionWhen(client, session.id, ({ process }) => process === 'live')

  expect(await slowestHealth(daemon)).toBeLessThan(2_000)
  await client.stopSession({ params: { id: session.id }, body: {} })
  expect(await client.getSession({ params: { id: session.id } })).toMatchObject({
    session: { state: 'ended' },
  })
  await client.deleteSession({ params: { id: second.session.id } })
  expect(await daemon.stop()).toBe(0)
})
