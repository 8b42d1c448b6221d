import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { Keeper } from './keeper-client.js'

test('a secret that was cut off while it was written is replaced, for its owner only', async () => {
  const runFolder = await temporaryFolder()
  const file = join(runFolder, 'keeper.secret')
  writeFileSync(file, '')

  const start = () => new Keeper({ runFolder, keepMs: 1_000 }).close()

  start()

  const secret = readFileSync(file, 'utf8')
  expect(secret).toHaveLength(43)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  start()
  expect(readFileSync(file, 'utf8')).toBe(secret)
})

test("an answer that is no keeper's is none", async () => {
  const runFolder = await temporaryFolder()
  const server = createServer((socket) => socket.on('error', () => {}).end('nonsense\n'))
  await new Promise<void>((resolve) => {
    server.listen(join(runFolder, 'keeper.sock'), resolve)
  })
  onTestFinished(() => void server.close())

  expect(await new Keeper({ runFolder, keepMs: 1_000 }).attach(join(runFolder, 'a'))).toBeNull()
})
