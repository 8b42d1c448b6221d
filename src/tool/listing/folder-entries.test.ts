import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { FolderEntries } from './folder-entries.js'

test('a folder is not entered through a link, neither at the end of its path nor before', async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'outside/deep'), { recursive: true })
  await mkdir(join(folder, 'inside'))
  await symlink('../outside', join(folder, 'inside/link'))

  await expect(FolderEntries.open(join(folder, 'inside/link'))).rejects.toThrow()
  await expect(FolderEntries.open(join(folder, 'inside/link/deep'))).rejects.toThrow('moved or replaced')
})

test('a .gitignore that is a link does not count', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'rules'), '*')
  await symlink('rules', join(folder, '.gitignore'))
  const entries = await FolderEntries.open(folder)
  expect(entries.ignoreText).toBeNull()
  await entries.close()
  await entries.close()
})
