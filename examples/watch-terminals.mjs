/** Sees what Claude Code does in terminals: from the lines that its hooks write, without any daemon. */

import assert from 'node:assert/strict'
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LifecycleSessionMonitor } from 'signalbox'
import { makeOwnFolder } from './own-folder.mjs'

const own = await makeOwnFolder({ rules: [] })
const path = join(own.folder, 'lifecycle.jsonl')
await writeFile(path, '')

const seen = []
const monitor = new LifecycleSessionMonitor({ path, pollMs: 20 })
monitor.subscribe((changed) => {
  for (const { sessionId, state, activityPhase } of changed) {
    const doing = state === 'active' ? activityPhase : state
    if (doing !== seen.at(-1)) seen.push(doing)
    process.stdout.write(`${sessionId}: ${doing}\n`)
  }
})
await monitor.start()

// "signalbox hooks install" makes Claude Code write such lines; here they are written by hand.
const tell = (event) =>
  appendFile(
    path,
    `${JSON.stringify({
      id: crypto.randomUUID(),
      occurredAtIso: new Date().toISOString(),
      sessionId: 'terminal-1',
      provider: 'claude',
      projectPath: own.workspace,
      cwd: own.workspace,
      ...event,
    })}\n`,
  )
const until = async (doing) => {
  while (seen.at(-1) !== doing) await new Promise((resolve) => setTimeout(resolve, 10))
}
await tell({ eventType: 'session.lifecycle', phase: 'started' })
await tell({ eventType: 'turn.start', prompt: 'Tidy up' })
await until('busy')
await tell({ eventType: 'session.lifecycle', phase: 'waiting_permission', toolName: 'Write' })
await until('waiting_permission')
await tell({ eventType: 'turn.end' })
await until('interactable')
await tell({ eventType: 'session.lifecycle', phase: 'ended' })
await until('completed')

assert.deepEqual(seen, ['busy', 'waiting_permission', 'interactable', 'completed'])
await monitor.close()
await own.remove()
