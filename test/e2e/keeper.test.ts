/** The keeper as a process: who may speak to it, and what it says of a process that it cannot start. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { Keeper } from '../../src/session/keeper/keeper-client.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { whenDone } from '../support/when-done.js'

const program = fileURLToPath(new URL('../../dist/session/keeper/keeper.js', import.meta.url))

test('it refuses who does not know its secret, and reports a process that cannot be started', async () => {
  const runFolder = await temporaryFolder()
  const keeper = new Keeper({ runFolder, keepMs: 1_000, program })
  whenDone(() => keeper.close())
  expect(await keeper.ready()).toBe(true)

  for (const said of [`${JSON.stringify({ secret: '', op: 'hello' })}\n`, 'x'.repeat(17 << 20)]) {
    const socket = connect(join(runFolder, 'keeper.sock'))
    let answer = ''
    socket.on('error', () => {})
    socket.on('data', (data) => {
      answer += String(data)
    })
    socket.write(said)
    await new Promise((resolve) => socket.once('close', resolve))
    expect(answer).toBe('')
  }

  const folder = join(runFolder, 'a')
  mkdirSync(folder)
  writeFileSync(join(folder, 'in.jsonl'), '')
  const args = ['x'.repeat(4 << 20)]
  const started = keeper.start({ folder, command: process.execPath, args, cwd: '/', env: {}, mark: 'none' })
  expect(await started.reply).toMatchObject({ error: expect.stringContaining('E2BIG') })
  expect(await started.ended).toBeNull()
})
