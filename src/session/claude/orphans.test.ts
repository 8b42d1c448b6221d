import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { createTestRuntime } from '../../../test/support/test-runtime.js'
import { killProcess } from '../../lib/kill-process.js'
import { startTokenOf } from '../../lib/start-token.js'
import { LaunchFolders } from '../attach/launch-folder.js'

/** A process of an earlier run that does not react to SIGTERM. */
async function aDeafOrphan() {
  const code = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')`
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'ignore'], detached: true })
  const pid = child.pid ?? 0
  onTestFinished(() => killProcess(pid, 'SIGKILL'))
  await once(child.stdout, 'data')
  return { pid, startToken: startTokenOf(pid) ?? '' }
}

test('an orphaned process that does not react is gone before the daemon has started', async () => {
  const { pid } = await aDeafOrphan()
  const folder = await temporaryFolder()
  const runFolder = join(folder, 'home', 'run')
  const launch = new LaunchFolders(runFolder).create()
  launch.noteProcess(pid)

  await createTestRuntime({ folder })

  expect(startTokenOf(pid)).toBeNull()
  expect(existsSync(launch.path)).toBe(false)
})

test('a process that a previous version has recorded in the database is killed at the first start', async () => {
  const orphan = await aDeafOrphan()

  await createTestRuntime({ oldProcesses: [orphan] })

  expect(startTokenOf(orphan.pid)).toBeNull()
})
