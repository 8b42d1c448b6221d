/** A chat server's session manager, as programs know it: one callback for events, methods to answer. */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ClaudeManager } from 'signalbox'
import { makeOwnFolder } from './own-folder.mjs'

const own = await makeOwnFolder({
  rules: [
    {
      when: { user: 'write' },
      reply: [
        { text: 'I will write it.' },
        { tool: 'Write', input: { file_path: '{{cwd}}/hello.txt', content: 'hello' } },
      ],
    },
    { when: { toolResult: 'Write' }, reply: [{ text: 'Done.' }] },
    {
      reply: [
        {
          tool: 'AskUserQuestion',
          input: {
            questions: [
              {
                question: 'Which one?',
                header: 'Choice',
                multiSelect: false,
                options: [
                  { label: 'Option A', description: 'the first' },
                  { label: 'Option B', description: 'the second' },
                ],
              },
            ],
          },
        },
      ],
    },
  ],
})

const types = []
const claudeManager = new ClaudeManager((sessionId, event) => {
  types.push(event.type)
  if (event.type === 'textComplete') process.stdout.write(`${event.text}\n`)
  if (event.type === 'permission_request')
    claudeManager.respondPermission(sessionId, event.toolUseId, 'allow')
  if (event.type === 'askQuestion') claudeManager.respondQuestion(sessionId, event.toolUseId, 'Option A')
}, own.options)

await claudeManager.sendMessage('conversation-1', 'write a file', { workingDir: own.workspace })

assert.equal(await readFile(join(own.workspace, 'hello.txt'), 'utf8'), 'hello')
for (const type of [
  'init',
  'text',
  'textComplete',
  'toolInfo',
  'permission_request',
  'toolComplete',
  'result',
])
  assert.ok(types.includes(type), `There was no ${type}.`)
assert.equal(types.at(-1), 'state')
await claudeManager.close()
await own.remove()
