import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { isInSystem } from './system-folder.js'
import { surveySystem } from './system-survey.js'

test('in a folder of the system, FIFOs and protected files that only their owner may read are hidden', async () => {
  const top = await temporaryFolder()
  mkdirSync(join(top, 'app'))
  for (const name of ['passwd.conf', 'a.txt', 'app/.env', 'app/public.pem'])
    writeFileSync(join(top, name), '')
  chmodSync(join(top, 'app/.env'), 0o600)
  execFileSync('/usr/bin/mkfifo', [join(top, 'app/fifo')])
  symlinkSync('.env', join(top, 'app/link'))

  const { files, folders } = await surveySystem([top])

  expect(files.toSorted()).toEqual([join(top, 'app/.env'), join(top, 'app/fifo')])
  expect(folders).toEqual([])
})

test('a folder with too much to hide is left out as a whole', async () => {
  const top = await temporaryFolder()
  for (let index = 0; index < 50; index++) writeFileSync(join(top, `${index}.env`), '', { mode: 0o600 })

  expect(await surveySystem([top])).toEqual({ files: [], folders: [top] })
})

test.each(['/usr/src/app', '/usr/local/etc', '/usr/share/nginx', '/usr', '/opt'])(
  '%s is not in the jail',
  (path) => {
    expect(isInSystem(path)).toBe(false)
  },
)
