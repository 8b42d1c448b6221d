import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { readBranch } from './git-branch.js'

async function aRepository(head: string): Promise<string> {
  const folder = await temporaryFolder()
  await mkdir(join(folder, '.git'))
  await writeFile(join(folder, '.git', 'HEAD'), head)
  return folder
}

test('the branch of a repository is known anywhere inside of it', async () => {
  const folder = await aRepository('ref: refs/heads/feature/signal lamps\n')
  await mkdir(join(folder, 'src', 'deep'), { recursive: true })

  expect(readBranch(folder)).toBe('feature/signal lamps')
  expect(readBranch(join(folder, 'src', 'deep'))).toBe('feature/signal lamps')
})

test('a worktree has a branch of its own', async () => {
  const main = await aRepository('ref: refs/heads/main\n')
  const tree = await temporaryFolder()
  await mkdir(join(main, '.git', 'worktrees', 'other'), { recursive: true })
  await writeFile(join(main, '.git', 'worktrees', 'other', 'HEAD'), 'ref: refs/heads/other\n')
  await writeFile(join(tree, '.git'), `gitdir: ${join(main, '.git', 'worktrees', 'other')}\n`)

  expect(readBranch(tree)).toBe('other')
})

test('without a repository, with a commit checked out, or with something broken there is no branch', async () => {
  const broken = await temporaryFolder()
  await writeFile(join(broken, '.git'), 'gitdir: nowhere\n')

  expect(readBranch('/nowhere/at/all')).toBe(null)
  expect(readBranch(await aRepository('4b825dc642cb6eb9a060e54bf8d69288fbee4904\n'))).toBe(null)
  expect(readBranch(await aRepository('x'.repeat(10_000)))).toBe(null)
  expect(readBranch(broken)).toBe(null)
})
