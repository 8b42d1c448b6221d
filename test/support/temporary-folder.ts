/** A folder of its own for each test; gone when the test ends. */

import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { whenDone } from './when-done.js'

export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'signalbox-')))
  whenDone(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}
