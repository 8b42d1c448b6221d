/** Worktrees of a real repository: made, merged, rebased, pushed, removed, and never at the cost of work. */

import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { GIT } from '../../test/support/workspace.js'
import { createIdSource } from '../lib/id.js'
import { WorktreeSettings } from '../protocol/worktree/worktree.js'
import { slugOf } from '../protocol/worktree/worktree-name.js'
import { createMemoryStore } from '../store/memory.js'
import { harmfulKey } from './user-git.js'
import { Worktrees } from './worktrees.js'

async function setup({ settings = {}, isTrusted = true }: { settings?: object; isTrusted?: boolean } = {}) {
  const folder = await temporaryFolder()
  const top = join(folder, 'shop')
  mkdirSync(top)
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'kim',
    GIT_AUTHOR_EMAIL: 'kim@example.com',
    GIT_COMMITTER_NAME: 'kim',
    GIT_COMMITTER_EMAIL: 'kim@example.com',
  }
  const git = (cwd: string, ...args: string[]) =>
    execFileSync(GIT, args, { cwd, env, encoding: 'utf8', stdio: 'pipe' })
  const write = (path: string, text: string) => writeFileSync(path, text)
  git(top, 'init', '-q', '-b', 'main')
  write(join(top, '.gitignore'), '.env\nnode_modules/\n')
  write(join(top, 'a.txt'), 'one\n')
  git(top, 'add', '.')
  git(top, 'commit', '-qm', 'first')
  write(join(top, '.env'), 'KEY=1\n')
  mkdirSync(join(top, 'node_modules'))
  const worktrees = new Worktrees({
    program: GIT,
    env,
    settings: WorktreeSettings.parse(settings),
    store: createMemoryStore({ newId: () => createIdSource().next('evt') }),
    isTrusted: async () => isTrusted,
    homes: [join(folder, 'home')],
    now: () => '2026-11-15T12:00:00.000Z',
  })
  return { folder, top, git, write, worktrees }
}

describe('a worktree', () => {
  test('has a branch and a folder of its own, and the ignored files that the configuration names', async () => {
    const bring = [
      { path: '.env', how: 'copy' },
      { path: 'node_modules', how: 'link' },
      { path: 'missing', how: 'copy' },
    ]
    const { top, worktrees } = await setup({ settings: { bring, setup: 'npm ci' } })
    mkdirSync(join(top, 'packages'))

    const {
      worktree,
      cwd,
      setup: command,
    } = await worktrees.create(top, {}, 'Fix the login test, please now')

    expect(worktree).toEqual({
      path: `${top}.worktrees/fix-the-login-test-please`,
      repository: top,
      name: 'fix-the-login-test-please',
      branch: 'signalbox/fix-the-login-test-please',
      base: 'main',
    })
    expect([cwd, command]).toEqual([worktree.path, 'npm ci'])
    expect(readFileSync(join(cwd, '.env'), 'utf8')).toBe('KEY=1\n')
    expect(lstatSync(join(cwd, 'node_modules')).isSymbolicLink()).toBe(true)
    expect((await worktrees.status(worktree)).uncommitted).toBe(0)
    await expect(worktrees.change(worktree, { action: 'commit' })).rejects.toThrow('nothing to commit')
    expect((await worktrees.list(cwd)).map(({ branch, isMain, isOurs }) => [branch, isMain, isOurs])).toEqual(
      [
        ['main', true, false],
        [worktree.branch, false, true],
      ],
    )
  })

  test('of the same name gets another', async () => {
    const { top, worktrees } = await setup()

    const first = await worktrees.create(top, { name: 'try' }, '')
    const second = await worktrees.create(first.cwd, { name: 'try' }, '')

    expect([first.worktree.name, second.worktree.name]).toEqual(['try', 'try-2'])
    expect(second.worktree.base).toBe('signalbox/try')
  })

  test('is committed, rebased and merged into its base', async () => {
    const { top, git, write, worktrees } = await setup()
    const { worktree } = await worktrees.create(top, { name: 'work' }, '')
    write(join(worktree.path, 'b.txt'), 'new\n')
    expect(await worktrees.status(worktree)).toMatchObject({ uncommitted: 1, ahead: 0, behind: 0 })

    await worktrees.change(worktree, { action: 'commit', message: 'Add b' })
    write(join(top, 'c.txt'), 'meanwhile\n')
    git(top, 'add', '.')
    git(top, 'commit', '-qm', 'meanwhile')
    expect(await worktrees.status(worktree)).toMatchObject({ uncommitted: 0, ahead: 1, behind: 1 })
    await worktrees.change(worktree, { action: 'rebase' })
    const { worktree: after } = await worktrees.change(worktree, { action: 'merge' })

    expect(after).toMatchObject({ ahead: 0, behind: 0 })
    expect(readFileSync(join(top, 'b.txt'), 'utf8')).toBe('new\n')
    expect(git(top, 'log', '--format=%s').trim().split('\n')).toEqual(['Add b', 'meanwhile', 'first'])
  })

  test('whose merge or rebase has conflicts leaves both sides as they were', async () => {
    const { top, git, write, worktrees } = await setup()
    const { worktree } = await worktrees.create(top, { name: 'work' }, '')
    write(join(worktree.path, 'a.txt'), 'by the agent\n')
    await worktrees.change(worktree, { action: 'commit' })
    write(join(top, 'a.txt'), 'by a user\n')
    git(top, 'commit', '-qam', 'mine')
    const before = git(top, 'rev-parse', 'HEAD', worktree.branch)

    for (const action of ['merge', 'rebase'] as const)
      await expect(worktrees.change(worktree, { action })).rejects.toMatchObject({
        code: 'worktree_failed',
        details: { files: ['a.txt'] },
      })

    expect(git(top, 'rev-parse', 'HEAD', worktree.branch)).toBe(before)
    expect(git(top, 'status', '--porcelain')).toBe('')
    expect(git(worktree.path, 'status', '--porcelain')).toBe('')
  })

  test('is not removed while work would be lost, unless that is wanted', async () => {
    const { top, git, write, worktrees } = await setup()
    const { worktree } = await worktrees.create(top, { name: 'work' }, '')
    write(join(worktree.path, 'b.txt'), 'new\n')
    const remove = (force = false) => worktrees.change(worktree, { action: 'remove', force })

    await expect(remove()).rejects.toMatchObject({
      code: 'worktree_unmerged',
      details: { uncommitted: 1, ahead: 0 },
    })
    await worktrees.change(worktree, { action: 'commit' })
    await expect(remove()).rejects.toMatchObject({
      code: 'worktree_unmerged',
      details: { uncommitted: 0, ahead: 1 },
    })
    await remove(true)

    expect(existsSync(worktree.path)).toBe(false)
    expect(git(top, 'branch', '--list', 'signalbox/*')).toBe('')
    expect(await worktrees.known()).toEqual([])
  })

  test('is pushed, and a pull request is opened with the gh of the user', async () => {
    const { folder, top, git, write, worktrees } = await setup()
    git(folder, 'init', '-q', '--bare', 'origin.git')
    git(top, 'remote', 'add', 'origin', join(folder, 'origin.git'))
    const { worktree } = await worktrees.create(top, { name: 'work' }, '')
    write(join(worktree.path, 'b.txt'), 'new\n')
    await worktrees.change(worktree, { action: 'commit' })

    await worktrees.change(worktree, { action: 'push' })

    expect(git(join(folder, 'origin.git'), 'branch', '--list')).toContain('signalbox/work')
    mkdirSync(join(folder, 'bin'))
    write(
      join(folder, 'bin/gh'),
      '#!/bin/sh\necho "$@" > "$HOME/gh-called"; echo https://example.com/pull/1\n',
    )
    chmodSync(join(folder, 'bin/gh'), 0o755)
    const withGh = new Worktrees({
      program: GIT,
      env: { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, HOME: folder },
      settings: WorktreeSettings.parse({}),
      store: createMemoryStore({ newId: () => '' }),
      isTrusted: async () => true,
      homes: [],
      now: () => '',
    })
    const { url } = await withGh.change(worktree, { action: 'push', pullRequest: true, message: 'Add b' })
    expect(url).toBe('https://example.com/pull/1')
    expect(readFileSync(join(folder, 'gh-called'), 'utf8')).toBe(
      'pr create --head signalbox/work --base main --title Add b --body Add b\n',
    )
  })
})

describe('work in a worktree is not lost', () => {
  test('with its base branch, or with its folder', async () => {
    const { top, git, write, worktrees } = await setup()
    const { worktree } = await worktrees.create(top, { name: 'work' }, '')
    write(join(worktree.path, 'b.txt'), 'new\n')
    await worktrees.change(worktree, { action: 'commit' })

    git(top, 'branch', '-m', 'main', 'trunk')
    const first = worktrees.change(worktree, { action: 'remove' })
    await expect(first).rejects.toMatchObject({ code: 'worktree_unmerged', details: { ahead: 1 } })
    rmSync(worktree.path, { recursive: true })
    const second = worktrees.change(worktree, { action: 'remove' })
    await expect(second).rejects.toMatchObject({ code: 'worktree_unmerged', details: { ahead: 1 } })

    expect(git(top, 'log', '--format=%s', worktree.branch)).toContain('Work of work')
    await worktrees.change(worktree, { action: 'remove', force: true })
    expect(git(top, 'branch', '--list', 'signalbox/*')).toBe('')
  })

  test('on a commit that no branch has', async () => {
    const { top, git, write, worktrees } = await setup()
    const { worktree } = await worktrees.create(top, { name: 'work' }, '')
    git(worktree.path, 'checkout', '-q', '--detach')
    write(join(worktree.path, 'b.txt'), 'new\n')
    git(worktree.path, 'add', '.')
    git(worktree.path, 'commit', '-qm', 'detached')

    const removed = worktrees.change(worktree, { action: 'remove' })

    await expect(removed).rejects.toMatchObject({ code: 'worktree_unmerged', details: { ahead: 1 } })
  })

  test('when a merge of the user is under way', async () => {
    const { top, git, write, worktrees } = await setup()
    const { worktree } = await worktrees.create(top, { name: 'work' }, '')
    write(join(worktree.path, 'b.txt'), 'new\n')
    await worktrees.change(worktree, { action: 'commit' })
    git(top, 'checkout', '-q', '-b', 'side')
    git(top, 'commit', '-q', '--allow-empty', '-m', 'side')
    git(top, 'checkout', '-q', 'main')
    git(top, 'merge', '-q', '--no-ff', '--no-commit', 'side')

    const merged = worktrees.change(worktree, { action: 'merge' })

    await expect(merged).rejects.toThrow('A merge is under way')
    expect(existsSync(join(top, '.git/MERGE_HEAD'))).toBe(true)
  })
})

test('a file is not brought through a symlink of the repository', async () => {
  const bring = [{ path: 'config/.env', how: 'copy' }]
  const { folder, top, git, write, worktrees } = await setup({ settings: { bring } })
  mkdirSync(join(folder, 'elsewhere'))
  symlinkSync(join(folder, 'elsewhere'), join(top, 'config'))
  git(top, 'add', 'config')
  git(top, 'commit', '-qm', 'a link')
  rmSync(join(top, 'config'))
  mkdirSync(join(top, 'config'))
  write(join(top, 'config/.env'), 'KEY=1\n')

  const { worktree } = await worktrees.create(top, { name: 'work' }, '')

  expect(lstatSync(join(worktree.path, 'config')).isSymbolicLink()).toBe(true)
  expect(readdirSync(join(folder, 'elsewhere'))).toEqual([])
})

describe('a repository that is not trusted', () => {
  test.each([
    [
      'whose name is an option',
      '--receive-pack=touch PWNED; git-receive-pack',
      'has no name that can be used',
    ],
    ['in a folder, with hooks of its own', 'origin', "transport 'file' not allowed"],
  ])('is not pushed to a remote %s', async (_, remote, problem) => {
    const { folder, top, git, write, worktrees } = await setup({ isTrusted: false })
    git(folder, 'init', '-q', '--bare', 'evil.git')
    writeFileSync(join(folder, 'evil.git/hooks/pre-receive'), `#!/bin/sh\ntouch ${folder}/PWNED\n`)
    chmodSync(join(folder, 'evil.git/hooks/pre-receive'), 0o755)
    const { worktree } = await worktrees.create(top, { name: 'work' }, '')
    write(join(worktree.path, 'b.txt'), 'new\n')
    await worktrees.change(worktree, { action: 'commit' })
    // Git would take the branch for the repository to push to.
    git(worktree.path, 'init', '-q', '--bare', 'signalbox/work')
    appendFileSync(join(top, '.git/config'), `[remote "${remote}"]\n\turl = ${folder}/evil.git\n`)

    await expect(worktrees.change(worktree, { action: 'push' })).rejects.toThrow(problem)

    expect([existsSync(join(folder, 'PWNED')), existsSync(join(worktree.path, 'PWNED'))]).toEqual([
      false,
      false,
    ])
  })

  test('runs none of its hooks, nor the command that prepares all others', async () => {
    const { folder, top, worktrees } = await setup({ isTrusted: false, settings: { setup: 'npm ci' } })
    writeFileSync(join(top, '.git/hooks/post-checkout'), `#!/bin/sh\ntouch ${folder}/PWNED\n`)
    chmodSync(join(top, '.git/hooks/post-checkout'), 0o755)

    const { isTrusted, setup: command } = await worktrees.create(top, { name: 'work' }, '')

    expect([isTrusted, command]).toEqual([false, null])
    expect(existsSync(join(folder, 'PWNED'))).toBe(false)
  })

  test('is refused if its configuration could run a program', async () => {
    const { folder, top, git, worktrees } = await setup({ isTrusted: false })
    git(top, 'config', 'filter.x.smudge', `touch ${folder}/PWNED`)

    await expect(worktrees.create(top, { name: 'work' }, '')).rejects.toMatchObject({
      code: 'worktree_failed',
      details: { key: 'filter.smudge' },
    })

    expect(existsSync(join(folder, 'PWNED'))).toBe(false)
  })
})

test.each([
  ['[core]\n\tbare = false\n[remote "origin"]\n\turl = git@example.com:a\n\tfetch = +refs/*', null],
  ['[include]\n\tpath = x', 'include.path'],
  ['[core]\n\tfsmonitor = evil', 'core.fsmonitor'],
  ['[core] fsmonitor = evil', '.[core] fsmonitor = evil'],
  ['[alias "x"]\n\ty = !z', 'alias.y'],
  ['[core]\n\tbare = false \\\n', 'core.bare'],
])('the configuration %j', (config, key) => {
  expect(harmfulKey(config)).toBe(key)
})

test('a name is made of the first words of a prompt', () => {
  expect(['Fix it!', '로그인 고치기', 'a/../b -x'].map(slugOf)).toEqual(['fix-it', 'session', 'a-b-x'])
})

test('a folder that is in no repository has no worktrees', async () => {
  const { worktrees } = await setup()
  await expect(worktrees.create(await temporaryFolder(), {}, '')).rejects.toMatchObject({
    code: 'repository_not_found',
  })
})
