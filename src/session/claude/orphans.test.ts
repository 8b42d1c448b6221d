import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { ids } from '../../../test/support/build.js'
import { createTestRuntime } from '../../../test/support/test-runtime.js'
import { startTokenOf } from '../../lib/start-token.js'
import { createMemoryStore } from '../../store/memory.js'
import { kill } from './reaper.js'

/** A process of an earlier run that does not react to SIGTERM, and its record. */
async function aDeafOrphan() {
  const code = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')`
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'ignore'], detached: true })
  const pid = child.pid ?? 0
  onTestFinished(() => kill(pid, 'SIGKILL'))
  await once(child.stdout, 'data')
  const store = createMemoryStore({ newId: () => ids.next('evt') })
  store.addProcess({ pid, startToken: startTokenOf(pid) ?? '', sessionId: 'ses_1' })
  return { pid, store }
}

test('an orphaned process that does not react is gone before the daemon has started', async () => {
  const { pid, store } = await aDeafOrphan()

  await createTestRuntime({ store })

  expect(startTokenOf(pid)).toBeNull()
  expect(await store.processes()).toEqual([])
})
