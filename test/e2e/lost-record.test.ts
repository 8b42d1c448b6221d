/**
 * Claude Code's own transcript of a conversation is gone, or a full disk has left an empty one: the session
 * continues.
 */

import { readdir, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  allEvents,
  expectOrderly,
  makePlace,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'

const DAMAGE = {
  'was deleted': (path: string) => rm(path),
  'is empty': (path: string) => truncate(path, 0),
}

test.each(Object.entries(DAMAGE))(
  'a session whose record %s begins a new conversation and says so',
  async (_, damage) => {
    const at = await makePlace(() => ({ rules: [{ reply: [{ text: 'You said: {{user}}' }] }] }))
    const first = await startDaemonProcess(at)
    const { session } = await first.client.createSession({ body: { cwd: at.cwd, prompt: 'one' } })
    const hasAnswered = (text: string) => (found: typeof session) =>
      found.state === 'idle' && found.queue.length === 0 && found.lastText === `You said: ${text}`
    const { claudeSessionId } = await sessionWhen(first.client, session.id, hasAnswered('one'))
    expect(await first.stop()).toBe(0)
    const projects = join(at.home, 'claude', 'projects')
    const names = await readdir(projects, { recursive: true, encoding: 'utf8' })
    const record = names.find((name) => name.endsWith(`${claudeSessionId}.jsonl`)) ?? ''
    await damage(join(projects, record))

    const { client, stop } = await startDaemonProcess(at)
    await client.sendMessage({ params: { id: session.id }, body: { text: 'two' } })
    await sessionWhen(client, session.id, hasAnswered('two'))
    await client.sendMessage({ params: { id: session.id }, body: { text: 'three' } })

    await sessionWhen(client, session.id, hasAnswered('three'))
    const errors = (await allEvents(client, session.id)).flatMap(({ type, data }) =>
      type === 'error.raised' ? [data.code] : [],
    )
    expect(errors).toEqual(['conversation_not_found'])
    await expectOrderly(client)
    expect(await stop()).toBe(0)
  },
)
