import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { editSettings, readSettings } from '../config-edit.js'
import type { Terminal } from '../output/terminal.js'
import { tlsInit, tlsRemove } from './tls.js'

const terminal = { note: () => {}, out: () => {}, json: () => {} } as unknown as Terminal

test('names that the daemon answered to before stay, also when the certificate is removed', async () => {
  const home = await temporaryFolder()
  editSettings(home, { hosts: ['box.example.com'], port: 4800 })

  await tlsInit({ home, name: ['box.local'] }, terminal)
  expect(readSettings(home)).toMatchObject({ host: '0.0.0.0', hosts: ['box.example.com', 'box.local'] })

  await tlsRemove({ home }, terminal)
  expect(readSettings(home)).toEqual({ hosts: ['box.example.com'], port: 4800 })
})
