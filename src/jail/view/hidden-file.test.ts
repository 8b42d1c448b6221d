import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, link, mkdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { reason, reasonText } from '../../protocol/reason/reason.js'
import { commonGitFolder, gitObstacle } from '../git/git-folder.js'
import { createHiddenFiles } from './hidden-file.js'

async function setup() {
  const folder = await temporaryFolder()
  const [ws, home] = [join(folder, 'w'), join(folder, 'w', '.signalbox')]
  await mkdir(join(ws, 'src'), { recursive: true })
  await writeFile(join(ws, 'src', 'a.ts'), '')
  const hidden = createHiddenFiles({ maxFolders: 20, maxFiles: 5, maxTwins: 20 })
  const look = (secrets: string[] = []) =>
    hidden.find({ roots: [ws], secrets, ownFolders: [home], ownStores: [join(ws, '.git', 'objects')] })
  const find = async (secrets: string[] = []) => {
    const found = await look(secrets)
    return 'problem' in found
      ? reasonText([found.problem])
      : [...found.files, ...found.folders, ...found.closed]
          .map((path) => path.slice(ws.length + 1))
          .toSorted()
  }
  return { folder, ws, home, find, look }
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

test('a protected link to a folder hides what is protected by that path, and nothing else', async () => {
  const { ws, find } = await setup()
  await mkdir(join(ws, 'data'))
  await writeFile(join(ws, 'data', 'db.json'), '')
  await writeFile(join(ws, 'data', 'code.ts'), '')
  await symlink('data', join(ws, 'secrets'))
  await symlink('src', join(ws, 'prod.env'))
  expect(await find()).toEqual(['data/db.json'])
})

test('links in circles end', async () => {
  const { ws, find } = await setup()
  await writeFile(join(ws, 'a.json'), '')
  await symlink('.', join(ws, 'credentials'))
  await symlink('credentials', join(ws, 'secrets'))
  expect(await find()).toEqual(['a.json'])
})

test.each<[string, Buffer]>([
  ['folder', Buffer.from('gr\xfc\xdfe', 'latin1')],
  ['file', Buffer.from('\xff.env', 'latin1')],
])('a %s whose name is not UTF-8 cannot be hidden, so there is no jail', async (kind, name) => {
  const { ws, find } = await setup()
  const path = Buffer.concat([Buffer.from(`${ws}/src/`), name])
  if (kind === 'folder') {
    await mkdir(path)
    await writeFile(Buffer.concat([path, Buffer.from('/.env')]), '')
  } else await writeFile(path, '')
  expect(await find()).toMatch(/not UTF-8/)
})

test('a folder that cannot be listed is closed as a whole', async () => {
  const { ws, find } = await setup()
  await mkdir(join(ws, 'closed'))
  await writeFile(join(ws, 'closed', '.env'), '')
  // Root can list every folder, so the search runs as another user.
  const isRoot = process.getuid?.() === 0
  if (isRoot) execFileSync('chown', ['-R', '65534', join(ws, '..')])
  await chmod(join(ws, 'closed'), 0o311)
  if (isRoot) process.seteuid?.(65534)
  try {
    expect(await find()).toEqual(['closed'])
  } finally {
    if (isRoot) process.seteuid?.(0)
    await chmod(join(ws, 'closed'), 0o755)
  }
})

test('a file that is replaced, moved or linked is another one; a FIFO that is written is not', async () => {
  const { ws, look } = await setup()
  const env = join(ws, '.env')
  await writeFile(env, 'a')
  const identities = async () => {
    const found = await look()
    return 'problem' in found ? [] : found.identities
  }
  const pipe = join(ws, 'pipe')
  execFileSync('/usr/bin/mkfifo', [pipe])
  const first = await identities()
  // The time of change has the resolution of the kernel's clock.
  await expect
    .poll(async () => {
      execFileSync('/bin/sh', ['-c', 'exec 3<>"$0"; echo >&3', pipe])
      return (await stat(pipe)).ctimeMs
    })
    .not.toBe((await stat(pipe)).ctimeMs)
  expect(await identities()).toEqual(first)
  await expect
    .poll(async () => {
      await link(env, join(ws, 'other'))
      await rm(join(ws, 'other'))
      return identities()
    })
    .not.toEqual(first)
  await writeFile(join(ws, 'fresh'), 'c')
  await rename(join(ws, 'fresh'), env)
  const second = await identities()
  expect(second).not.toEqual(first)
  await rename(join(ws, 'src'), join(ws, 'lib'))
  await rename(env, join(ws, 'lib', '.env'))
  expect(await identities()).not.toEqual(second)
})

test('a home that is no folder holds no secrets', async () => {
  const { find } = await setup()
  expect(await find(['/dev/null/.aws/credentials'])).toEqual([])
})

test('a new hard link is found in a folder that was looked at before', async () => {
  const { ws, find } = await setup()
  await writeFile(join(ws, '.env'), '')
  await link(join(ws, '.env'), join(ws, 'src', 'one'))
  expect(await find()).toEqual(['.env', 'src/one'])
  await link(join(ws, '.env'), join(ws, 'src', 'two'))
  expect(await find()).toEqual(['.env', 'src/one', 'src/two'])
})

describe('of git', () => {
  const gitFolder = async (path: string, names = ['objects', 'refs']) => {
    for (const name of names) await mkdir(join(path, name), { recursive: true })
    await writeFile(join(path, 'HEAD'), '')
  }

  test('a repository inside the workspace keeps its objects to itself', async () => {
    const { ws, find } = await setup()
    await gitFolder(join(ws, 'vendor'))
    expect(await find()).toEqual(['vendor/objects'])
  })

  test('also where they are elsewhere by a link', async () => {
    const { ws, find } = await setup()
    await gitFolder(join(ws, 'vendor'), ['refs', 'store'])
    await symlink('store', join(ws, 'vendor', 'objects'))
    expect(await find()).toEqual(['vendor/store'])
  })

  test('objects without a repository are hidden, and those of the workspace are not', async () => {
    const { ws, find } = await setup()
    for (const store of ['copied/o', '.git/objects'])
      for (const name of ['pack', 'info', 'ab']) await mkdir(join(ws, store, name), { recursive: true })
    expect(await find()).toEqual(['copied/o'])
  })

  test('names of branches are no names of files, but what lies beside them is', async () => {
    const { ws, find } = await setup()
    const heads = join(ws, '.git', 'refs', 'heads')
    await mkdir(join(heads, 'secrets'), { recursive: true })
    await writeFile(join(heads, 'reset-password'), `${'a'.repeat(40)}\n`)
    await writeFile(join(heads, 'secrets', 'one'), `${'a'.repeat(40)}\n`)
    expect(await find()).toEqual([])
    await writeFile(join(heads, '.env'), 'KEY=value\n')
    await mkdir(join(ws, '.git', 'lfs'))
    await writeFile(join(ws, '.git', 'lfs', '.env'), 'KEY=value\n')
    expect(await find()).toEqual(['.git/lfs/.env', '.git/refs/heads/.env'])
  })

  test('a rebase that has stopped does not show its patches', async () => {
    const { ws, find } = await setup()
    await mkdir(join(ws, '.git', 'rebase-apply'), { recursive: true })
    for (const name of ['patch', '0001', 'next']) await writeFile(join(ws, '.git', 'rebase-apply', name), '')
    expect(await find()).toEqual(['.git/rebase-apply/0001', '.git/rebase-apply/patch'])
  })
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

  // An agent that writes to the workspace could name any folder.
  const other = join(folder, 'other')
  await mkdir(other)
  await writeFile(join(other, '.git'), `gitdir: ${join(main, '.git', 'worktrees', 'tree')}\n`)
  expect(commonGitFolder(other)).toBeNull()
  await writeFile(join(other, '.git'), `gitdir: ${folder}\n`)
  expect(commonGitFolder(other)).toBeNull()
  expect(gitObstacle(other)).toEqual(reason('jail.git-elsewhere'))
  await mkdir(join(main, 'sub'))
  expect(gitObstacle(join(main, 'sub'))).toEqual(reason('jail.repository-above'))
  expect(existsSync(join(main, '.git'))).toBe(true)
})
