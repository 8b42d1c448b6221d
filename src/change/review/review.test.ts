/** Diffs name protected files, whatever happened to their names, and show no other repository. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aCall, GIT, makeWorkspace } from '../../../test/support/workspace.js'
import { Review } from './review.js'

const KEY = Array.from({ length: 9 }, (_, line) => `key line ${line}\n`).join('')

test('a protected file is one also under another name, or in a folder with an unusual name', async () => {
  const { at, write, workspace, records } = await makeWorkspace()
  write('server.pem', KEY)
  write('odd\u0001/.env', 'KEY=1\n')
  await workspace.changes.before(aCall('call'))
  renameSync(at('server.pem'), at('notes.txt'))
  write('notes.txt', `${KEY}one more\n`)
  write('odd\u0001/.env', 'KEY=2\n')
  await workspace.changes.after({ sessionId: 'ses_1', toolUseId: 'call' })

  const files = records.flatMap(({ data }) => data.files)

  expect(files.map(({ path, from, isProtected }) => [path, from, isProtected])).toEqual([
    ['"odd\\001/.env"', undefined, true],
    ['notes.txt', 'server.pem', true],
  ])
})

test('a comparison with HEAD shows no repository that a .git file or symlink of the folder was made to name', async () => {
  const { folder, at, root, write, workspace } = await makeWorkspace()
  const other = join(folder, 'other')
  const git = (cwd: string, ...args: string[]) =>
    execFileSync(GIT, ['-c', 'user.name=kim', '-c', 'user.email=kim@example.com', ...args], { cwd })
  const makeRepository = (path: string, text: string) => {
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'a.txt'), text)
    git(path, 'init', '-q')
    git(path, 'add', '.')
    git(path, 'commit', '-qm', 'first')
  }
  makeRepository(other, 'of another folder\n')
  write('a.txt', 'mine\n')
  const shown = async () => JSON.stringify(await new Review(workspace).sinceHead({}))

  writeFileSync(at('.git'), `gitdir: ${join(other, '.git')}\n`)
  await expect(shown()).rejects.toThrow('another folder')
  rmSync(at('.git'))
  symlinkSync(join(other, '.git'), at('.git'))
  await expect(shown()).rejects.toThrow('another folder')
  rmSync(at('.git'))
  rmSync(root, { recursive: true })
  git(other, 'worktree', 'add', '-q', '-b', 'side', root)
  write('a.txt', 'changed in a worktree\n')
  expect(await shown()).toContain('changed in a worktree')
})
