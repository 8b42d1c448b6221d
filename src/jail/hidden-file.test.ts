import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { link, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { commonGitFolder, gitObstacle } from './git-folder.js'
import { createHiddenFiles } from './hidden-file.js'

async function setup() {
  const folder = await temporaryFolder()
  const [ws, home] = [join(folder, 'w'), join(folder, 'w', '.signalbox')]
  await mkdir(join(ws, 'src'), { recursive: true })
  await writeFile(join(ws, 'src', 'a.ts'), '')
  const hidden = createHiddenFiles({ maxFolders: 20, maxFiles: 5, maxTwins: 20 })
  const find = async (secrets: string[] = []) => {
    const found = await hidden.find([ws], secrets, [home])
    return 'problem' in found
      ? found.problem
      : [...found.files, ...found.folders].map((path) => path.slice(ws.length + 1)).toSorted()
  }
  return { folder, ws, home, find }
}

test('protected files are found by their names, wherever they are', async () => {
  const { ws, find } = await setup()
  await writeFile(join(ws, '.env'), '')
  await writeFile(join(ws, 'src', 'server.pem'), '')
  await writeFile(join(ws, '.env.example'), '')
  expect(await find()).toEqual(['.env', 'src/server.pem'])
})

test('a protected file that was made a moment ago is found, also in a folder that was looked at before', async () => {
  const { ws, find } = await setup()
  for (let round = 0; round < 30; round++) {
    const file = join(ws, 'src', `${round}.env`)
    await writeFile(file, '')
    expect(await find()).toEqual([`src/${round}.env`])
    await rm(file)
    expect(await find()).toEqual([])
  }
})

test('a folder that is renamed is looked at again', async () => {
  const { ws, find } = await setup()
  await mkdir(join(ws, 'data'))
  await writeFile(join(ws, 'data', 'db.json'), '')
  expect(await find()).toEqual([])
  await rename(join(ws, 'data'), join(ws, 'secrets'))
  expect(await find()).toEqual(['secrets/db.json'])
})

test('sockets, FIFOs and our own home are hidden', async () => {
  const { ws, home, find } = await setup()
  execFileSync('/usr/bin/mkfifo', [join(ws, 'src', 'pipe')])
  await mkdir(home)
  await writeFile(join(home, 'token'), '')
  expect(await find()).toEqual(['.signalbox', 'src/pipe'])
})

test('the target of a protected link is hidden; one that leads outside leads nowhere', async () => {
  const { folder, ws, find } = await setup()
  await writeFile(join(ws, 'plain.txt'), '')
  await writeFile(join(folder, 'other.txt'), '')
  await symlink('plain.txt', join(ws, '.env'))
  await symlink('../other.txt', join(ws, '.env.local'))
  expect(await find()).toEqual(['plain.txt'])
})

test('hard links of protected files are hidden under every name, also of those outside', async () => {
  const { folder, ws, find } = await setup()
  await writeFile(join(ws, '.env'), '')
  await link(join(ws, '.env'), join(ws, 'src', 'notes.txt'))
  await writeFile(join(folder, 'token'), '')
  await link(join(folder, 'token'), join(ws, 'readme.txt'))
  expect(await find([join(folder, 'token')])).toEqual(['.env', 'readme.txt', 'src/notes.txt'])
})

test('a repository inside the workspace keeps its objects to itself', async () => {
  const { ws, find } = await setup()
  for (const name of ['objects', 'refs']) await mkdir(join(ws, 'vendor', name), { recursive: true })
  await writeFile(join(ws, 'vendor', 'HEAD'), '')
  expect(await find()).toEqual(['vendor/objects'])
})

test('names of branches are no names of files', async () => {
  const { ws, find } = await setup()
  await mkdir(join(ws, '.git', 'refs', 'heads'), { recursive: true })
  await writeFile(join(ws, '.git', 'refs', 'heads', 'secrets'), '')
  expect(await find()).toEqual([])
})

test('what is too large to be looked through has no jail', async () => {
  const { ws, find } = await setup()
  for (let index = 0; index < 6; index++) await writeFile(join(ws, `${index}.env`), '')
  expect(await find()).toBe('The workspace has more than 5 protected or special files.')
  for (let index = 0; index < 30; index++) await mkdir(join(ws, `d${index}`))
  expect(await find()).toBe('The workspace has more than 20 folders.')
})

function git(cwd: string, ...args: string[]): void {
  execFileSync('git', ['-C', cwd, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { stdio: 'ignore' })
}

test('a linked work tree brings its repository, but only one that knows it', async () => {
  const folder = await temporaryFolder()
  const [main, tree] = [join(folder, 'main'), join(folder, 'tree')]
  await mkdir(main)
  git(main, 'init')
  git(main, 'commit', '--allow-empty', '-m', 'first')
  git(main, 'worktree', 'add', tree)
  expect(commonGitFolder(tree)).toBe(join(main, '.git'))
  expect(commonGitFolder(main)).toBeNull()
  expect([gitObstacle(main), gitObstacle(tree)]).toEqual([null, null])

  // Whoever writes the workspace could name any folder.
  const other = join(folder, 'other')
  await mkdir(other)
  await writeFile(join(other, '.git'), `gitdir: ${join(main, '.git', 'worktrees', 'tree')}\n`)
  expect(commonGitFolder(other)).toBeNull()
  await writeFile(join(other, '.git'), `gitdir: ${folder}\n`)
  expect(commonGitFolder(other)).toBeNull()
  expect(gitObstacle(other)).toMatch(/outside the workspace/)
  await mkdir(join(main, 'sub'))
  expect(gitObstacle(join(main, 'sub'))).toMatch(/above the workspace/)
  expect(existsSync(join(main, '.git'))).toBe(true)
})
