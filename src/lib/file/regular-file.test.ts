import { execFileSync } from 'node:child_process'
import { appendFile, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { isMissingFile, openRegularFile, readSmallFile, readSmallFileSync } from './regular-file.js'

const READERS = {
  readSmallFile,
  readSmallFileSync: async (path: string, maxBytes: number) => readSmallFileSync(path, maxBytes),
}

describe.each(Object.entries(READERS))('%s', (_, read) => {
  test('a file is read whole, up to the limit and no further', async () => {
    const path = join(await temporaryFolder(), 'a')
    await writeFile(path, 'twelve bytes')

    expect((await read(path, 12)).toString()).toBe('twelve bytes')
    await appendFile(path, '!')
    await expect(read(path, 12)).rejects.toThrow('is larger than 12 bytes')
  })

  test('a FIFO, a device, a folder, and links to them are refused at once', async () => {
    const folder = await temporaryFolder()
    execFileSync('mkfifo', [join(folder, 'fifo')])
    await mkdir(join(folder, 'folder'))
    await symlink('/dev/zero', join(folder, 'zero'))
    await symlink('fifo', join(folder, 'link'))

    await expect(read(join(folder, 'fifo'), 100)).rejects.toThrow('not a regular file')
    await expect(read(join(folder, 'link'), 100)).rejects.toThrow('not a regular file')
    await expect(read(join(folder, 'zero'), 100)).rejects.toThrow('not a regular file')
    await expect(read(join(folder, 'folder'), 100)).rejects.toThrow('is a folder')
  })

  test('a missing file is known as such, also below a file', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'a'), '')
    const missing = await read(join(folder, 'b'), 1).catch(isMissingFile)
    const below = await read(join(folder, 'a', 'b'), 1).catch(isMissingFile)

    expect([missing, below, isMissingFile(null)]).toEqual([true, true, false])
  })
})

test('a file of the kernel that says it is empty is not read', async () => {
  expect((await readSmallFile('/proc/self/environ', 10)).length).toBe(0)
})

test('opening gives the size, and refuses a FIFO', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'a'), 'abc')
  execFileSync('mkfifo', [join(folder, 'fifo')])
  const { file, size } = await openRegularFile(join(folder, 'a'))
  await file.close()

  expect(size).toBe(3)
  await expect(openRegularFile(join(folder, 'fifo'))).rejects.toThrow('not a regular file')
})
