/** A program that answers permissions: it allows writing into the workspace and denies everything else. */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startOwnDaemon } from './own-daemon.mjs'

const daemon = await startOwnDaemon({
  rules: [
    { when: { toolResult: '*' }, reply: [{ text: 'Finished.' }] },
    {
      reply: [
        { tool: 'Write', input: { file_path: '{{cwd}}/note.txt', content: 'hello' } },
        { tool: 'Bash', input: { command: 'mkdir secret-place' } },
      ],
    },
  ],
})
const { client, workspace: cwd } = daemon

const { session } = await client.createSession({ body: { cwd, prompt: 'Leave a note' } })
const decisions = {}
for await (const { event } of client.events({ sessionId: session.id, after: 0 })) {
  if (event.type === 'permission.requested') {
    const { requestId, toolName, input } = event.data
    const decision = toolName === 'Write' && input.file_path.startsWith(`${cwd}/`) ? 'allow' : 'deny'
    decisions[toolName] = decision
    const message = decision === 'deny' ? { message: 'This program allows only notes.' } : {}
    await client.answerRequest({ params: { id: requestId }, body: { decision, ...message } })
  }
  if (event.type === 'turn.ended') break
}

assert.deepEqual(decisions, { Write: 'allow', Bash: 'deny' })
assert.equal(await readFile(join(cwd, 'note.txt'), 'utf8'), 'hello')
await daemon.close()
process.stdout.write('The note was written, the rest was denied.\n')
