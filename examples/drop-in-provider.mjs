/** Claude Code as one provider among others: unified messages in, unified events out. */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ClaudeCodeBuilder } from 'signalbox'
import { makeOwnFolder } from './own-folder.mjs'

const own = await makeOwnFolder({
  rules: [
    { when: { toolResult: '*' }, reply: [{ text: 'Done.' }] },
    { reply: [{ tool: 'Write', input: { file_path: '{{cwd}}/hello.txt', content: 'hello' } }] },
  ],
})
const builder = new ClaudeCodeBuilder({ ...own.options, cwd: own.workspace, phase: 'execution' })
const messages = [{ role: 'user', content: [{ type: 'text', text: 'Write a file' }] }]
const broadcast = []
const run = { queue: { broadcast: (event) => broadcast.push(event.type) } }

let text = ''
let completed
for await (const event of builder.stream(messages, [], {}, run)) {
  if (event.type === 'permission_request') builder.handlePermissionResponse(event.requestId, 'allow')
  if (event.type === 'text_delta') text += event.payload.text
  if (event.type === 'run_complete') completed = event.payload
}

assert.equal(await readFile(join(own.workspace, 'hello.txt'), 'utf8'), 'hello')
assert.match(text, /Done\./)
assert.equal(completed.success, true)
assert.ok(broadcast.includes('tool_start') && broadcast.includes('tool_result'))
await builder.cleanup()
await own.remove()
process.stdout.write(`${text}\n`)
