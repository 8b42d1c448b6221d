/** A tool of one's own: the agent calls a function of this program and goes on with what it returns. */

import assert from 'node:assert/strict'
import { createSignalbox, defineTool } from 'signalbox'
import { z } from 'zod'
import { makeOwnFolder } from './own-folder.mjs'

const stock = { apples: 3, pears: 0 }
const countStock = defineTool({
  name: 'count_stock',
  description: 'How many of something are left',
  input: z.object({ item: z.string() }),
  run: ({ item }) => `${stock[item] ?? 'no'} ${item} left`,
})

const own = await makeOwnFolder({
  rules: [
    { when: { toolResult: 'mcp__signalbox__count_stock' }, reply: [{ text: 'There are {{toolResult}}.' }] },
    { reply: [{ tool: 'mcp__signalbox__count_stock', input: { item: 'apples' } }] },
  ],
})
const box = await createSignalbox({ ...own.options, tools: [countStock] })
const session = await box.sessions.create({ cwd: own.workspace })
await session.send('How many apples are left?')
let answer = ''
for await (const event of session.stream()) {
  // Somebody must allow it, unless a rule of the policy does.
  if (event.type === 'permission.requested')
    await box.inbox.answer(event.data.requestId, { decision: 'allow' })
  if (event.type === 'text.ended') answer = event.data.text
}

assert.equal(answer, 'There are 3 apples left.')
await box.close()
await own.remove()
process.stdout.write(`${answer}\n`)
