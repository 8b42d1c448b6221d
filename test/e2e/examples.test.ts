/** The examples run as they are, and check their own result. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'

const FOLDER = fileURLToPath(new URL('../../examples/', import.meta.url))
const examples = readdirSync(FOLDER).filter((name) => name.endsWith('.mjs') && !name.startsWith('own-'))

test.each(examples)('%s', async (name) => {
  const home = await temporaryFolder()
  const child = spawn(process.execPath, [join(FOLDER, name)], {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home },
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  expect([child.exitCode, stderr]).toEqual([0, ''])
})
