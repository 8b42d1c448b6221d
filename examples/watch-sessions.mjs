/** Follows all sessions at once, and keeps a snapshot of each with the reducer that the dashboard uses. */

import assert from 'node:assert/strict'
import { applyEvent } from 'signalbox/protocol'
import { startOwnDaemon } from './own-daemon.mjs'

const daemon = await startOwnDaemon({ rules: [{ reply: [{ text: 'You said: {{user}}' }] }] })
const { client, workspace: cwd } = daemon

const sessions = new Map()
const watching = (async () => {
  for await (const { event } of client.events({ after: 0, deltas: false })) {
    sessions.set(event.sessionId, applyEvent(sessions.get(event.sessionId) ?? null, event))
    const all = [...sessions.values()]
    process.stdout.write(`${all.map(({ title, state }) => `${title}: ${state}`).join('   ')}\n`)
    if (all.length === 3 && all.every(({ turns, state }) => turns === 1 && state === 'idle')) return
  }
})()
for (const title of ['one', 'two', 'three'])
  await client.createSession({ body: { cwd, title, prompt: `hello from ${title}` } })
await watching

for (const { id, title, lastText } of sessions.values()) {
  assert.equal(lastText, `You said: hello from ${title}`)
  const { session } = await client.getSession({ params: { id } })
  assert.equal(session.state, 'idle')
}
await daemon.close()
