/** A chat bot in few lines: each room is a session, answers come back as they are written, "yes" and "no" answer requests. */

import assert from 'node:assert/strict'
import { startOwnDaemon } from './own-daemon.mjs'

export function createBot(client, cwd, post) {
  const rooms = new Map()

  async function open(room) {
    const { session } = await client.createSession({ body: { cwd, title: room } })
    const state = { sessionId: session.id, pending: null }
    rooms.set(room, state)
    void follow(room, state)
    return state
  }

  async function follow(room, state) {
    for await (const { event } of client.events({ sessionId: state.sessionId, after: 0, deltas: false })) {
      if (event.type === 'text.ended') await post(room, event.data.text)
      if (event.type === 'permission.requested') {
        state.pending = event.data.requestId
        await post(room, `May I? ${event.data.title} (yes / no)`)
      }
      if (event.type === 'permission.resolved') state.pending = null
    }
  }

  /** What somebody says in a room. */
  return async function hear(room, text) {
    const state = rooms.get(room) ?? (await open(room))
    if (state.pending !== null && /^(yes|no)$/i.test(text)) {
      const decision = /^yes$/i.test(text) ? 'allow' : 'deny'
      await client.answerRequest({ params: { id: state.pending }, body: { decision } })
    } else {
      await client.sendMessage({ params: { id: state.sessionId }, body: { text } })
    }
  }
}

// A conversation to see that it works.
const daemon = await startOwnDaemon({
  rules: [
    { when: { toolResult: '*' }, reply: [{ text: 'Done.' }] },
    {
      when: { user: 'write' },
      reply: [{ tool: 'Write', input: { file_path: '{{cwd}}/a.txt', content: 'a' } }],
    },
    { reply: [{ text: 'You said: {{user}}' }] },
  ],
})
const said = []
const hear = createBot(daemon.client, daemon.workspace, async (room, text) => said.push(`${room}: ${text}`))
const until = async (line) => {
  while (!said.includes(line)) await new Promise((resolve) => setTimeout(resolve, 50))
}
await hear('garden', 'hello')
await until('garden: You said: hello')
await hear('garden', 'write a file')
await until('garden: May I? Write: a.txt (yes / no)')
await hear('garden', 'yes')
await until('garden: Done.')
assert.equal(said.length, 3)
await daemon.close()
process.stdout.write(`${said.join('\n')}\n`)
process.exit(0)
