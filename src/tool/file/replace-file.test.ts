import { lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { HeldFolder } from './held-folder.js'
import { replaceFile } from './replace-file.js'

async function heldFolder() {
  const root = await temporaryFolder()
  await mkdir(join(root, 'sub'))
  const file = join(root, 'sub', 'a.txt')
  await writeFile(file, 'before')
  const folder = await HeldFolder.open(root, ['sub'])
  return { root, file, folder, before: await lstat(file) }
}

test.each([
  ['changed', (file: string) => writeFile(file, 'somebody else')],
  ['removed', (file: string) => rm(file)],
  [
    'replaced by a link',
    async (file: string) => {
      await rm(file)
      await symlink('/dev/null', file)
    },
  ],
])('a file that was %s meanwhile is left as it is', async (_, interfere) => {
  const { root, file, folder, before } = await heldFolder()
  await interfere(file)
  const found = await readdir(join(root, 'sub'))

  await expect(replaceFile(folder, 'a.txt', Buffer.from('ours'), before)).rejects.toThrow(
    'The file has changed meanwhile.',
  )

  expect(await readdir(join(root, 'sub'))).toEqual(found)
  if (found.length > 0 && !(await lstat(file)).isSymbolicLink()) {
    expect(await readFile(file, 'utf8')).toBe('somebody else')
  }
  await folder.close()
})

test('a file that appeared meanwhile is not overwritten', async () => {
  const { file, folder } = await heldFolder()
  await expect(replaceFile(folder, 'a.txt', Buffer.from('ours'), null)).rejects.toThrow(
    'has changed meanwhile',
  )
  expect(await readFile(file, 'utf8')).toBe('before')
  await folder.close()
})

test('a folder that is moved while it is held takes its files with it, and nothing is written at its old place', async () => {
  const { root, folder, before } = await heldFolder()
  await rename(join(root, 'sub'), join(root, 'moved'))
  await mkdir(join(root, 'sub'))

  await replaceFile(folder, 'a.txt', Buffer.from('ours'), before)

  expect(await readFile(join(root, 'moved', 'a.txt'), 'utf8')).toBe('ours')
  expect(await readdir(join(root, 'sub'))).toEqual([])
  await folder.close()
})
