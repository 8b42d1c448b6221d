import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { checkLogs } from './logs.js'

test('a log folder that is missing or can be written is in order, and is left as it is', async () => {
  const home = await temporaryFolder()
  expect(checkLogs(home)).toMatchObject({ state: 'ok' })
  const folder = join(home, 'logs')
  mkdirSync(folder)
  writeFileSync(join(folder, 'sdk-2026-11-17.jsonl'), 'line\n')

  expect(checkLogs(home)).toMatchObject({ state: 'ok' })

  expect(readdirSync(folder)).toEqual(['sdk-2026-11-17.jsonl'])
  expect(readFileSync(join(folder, 'sdk-2026-11-17.jsonl'), 'utf8')).toBe('line\n')
})

test.each<[string, (folder: string) => void]>([
  ['a file in its place', (folder) => writeFileSync(folder, '')],
  ['a folder in the place of the newest log', (folder) => newestAsFolder(folder)],
])('%s is named, with a fix', async (_, make) => {
  const home = await temporaryFolder()
  const folder = join(home, 'logs')
  make(folder)

  expect(checkLogs(home)).toMatchObject({
    name: 'Logs',
    state: 'broken',
    found: expect.stringContaining(folder),
    fix: expect.stringContaining('move it away'),
  })
})

function newestAsFolder(folder: string): void {
  mkdirSync(join(folder, 'sdk-2026-11-17.jsonl'), { recursive: true })
  writeFileSync(join(folder, 'sdk-2026-11-16.jsonl'), '')
}
