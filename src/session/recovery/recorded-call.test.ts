import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { whenRecorded } from './recorded-call.js'

const ID = '0b7c3c6e-5d0c-4b7e-9d3b-1f2a3b4c5d6e'
const WAITING = {
  agents: {},
  pendingTools: { toolu_1: 'Write' },
  claudeSessionId: ID,
  conversation: { kind: 'new', id: ID },
} as const

async function aRecord() {
  const configFolder = await temporaryFolder()
  const folder = join(configFolder, 'projects', '-project')
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${ID}.jsonl`)
  await writeFile(path, '{"type":"user"}\n')
  return { configFolder, path }
}

test('a call counts as recorded once its line is in the transcript', async () => {
  const { configFolder, path } = await aRecord()
  let isRecorded = false
  const recorded = whenRecorded(WAITING, configFolder, 60_000).then(() => {
    isRecorded = true
  })
  await appendFile(path, '{"type":"assistant","id":"toolu_12"}\n')
  await whenRecorded(WAITING, configFolder, 50)
  expect(isRecorded).toBe(false)
  await appendFile(path, '{"type":"assistant","id":"toolu_1"}\n')
  await recorded
})

test('a CLI that keeps no record, and a call of a subagent, hold nothing up', async () => {
  const { configFolder } = await aRecord()
  await whenRecorded(WAITING, await temporaryFolder(), 60_000)
  await whenRecorded({ ...WAITING, agents: { one: {} as never } }, configFolder, 60_000)
})
