import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { editSettings, readSettings } from './config-edit.js'

async function homeWith(text: string | null) {
  const home = await temporaryFolder()
  const file = join(home, 'config.jsonc')
  if (text !== null) writeFileSync(file, text)
  return { home, file, text: () => readFileSync(file, 'utf8') }
}

test('comments and other settings stay as they are', async () => {
  const { home, text } = await homeWith(
    '{\n  // mine\n  "port": 4000, // as always\n  "host": "127.0.0.1",\n}\n',
  )

  editSettings(home, { host: '0.0.0.0', hosts: ['box.local'], tlsKey: undefined })

  expect(text()).toContain('// mine')
  expect(text()).toContain('// as always')
  expect(readSettings(home)).toEqual({ port: 4000, host: '0.0.0.0', hosts: ['box.local'] })
  editSettings(home, { host: undefined, hosts: undefined })
  expect(readSettings(home)).toEqual({ port: 4000 })
})

test.each([null, '', '{}'])('a file %j becomes one with the setting, for its owner only', async (before) => {
  const { home, file } = await homeWith(before)
  editSettings(home, { host: '0.0.0.0' })
  expect(readSettings(home)).toEqual({ host: '0.0.0.0' })
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a file that is not valid is left alone', async () => {
  const { home, text } = await homeWith('{ "port": ')
  expect(() => editSettings(home, { host: 'x' })).toThrow(/not valid/)
  expect(text()).toBe('{ "port": ')
})
