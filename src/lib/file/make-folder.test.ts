import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { makeFolder } from './make-folder.js'

test('a folder is made with everything above it, in the given mode; twice is once', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'a', 'b', 'c')
  makeFolder(path, 0o700)
  makeFolder(path, 0o700)
  for (const made of [join(folder, 'a'), path]) expect(statSync(made).mode & 0o777).toBe(0o700)
})

test('a file in its place, or above it, is an error', async () => {
  const folder = await temporaryFolder()
  writeFileSync(join(folder, 'file'), '')
  expect(() => makeFolder(join(folder, 'file'))).toThrow('EEXIST')
  expect(() => makeFolder(join(folder, 'file', 'a', 'b'))).toThrow(/ENOTDIR|EEXIST/)
})

test.runIf(existsSync('/proc/self'))('where nothing can be made, as in /proc, it gives up at once', () => {
  expect(() => makeFolder('/proc/no-such-process/home')).toThrow('ENOENT')
  expect(() => mkdirSync('/proc/no-such-process')).toThrow('ENOENT')
})
