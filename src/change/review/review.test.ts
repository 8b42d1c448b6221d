/** Diffs name protected files, whatever happened to their names, and show no other repository. */

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pictureOfDisk } from '../../../test/support/undo-world.js'
import { aCall, GIT, makeWorkspace } from '../../../test/support/workspace.js'
import type { Diff } from '../../protocol/change/diff.js'
import { patchText } from '../../protocol/change/patch-text.js'
import type { ChangeEvent } from '../history.js'
import { markProtected } from './protected-names.js'
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

test('a protected file stays one under its new name, when it changes there', () => {
  const change = (...files: object[]) =>
    ({ type: 'changes.recorded', data: { files } }) as unknown as ChangeEvent
  const history = [
    change({ path: 'one.txt', from: '.env', isProtected: true }),
    change({ path: 'two.txt', from: 'one.txt' }),
    change({ path: 'two.txt' }, { path: 'three.txt' }),
  ]
  const files = ['one.txt', 'two.txt', 'three.txt'].map((path) => ({ path })) as Diff['files']

  const marked = markProtected({ files } as Diff, history)

  expect(marked.files.map(({ isProtected }) => isProtected ?? false)).toEqual([true, true, false])
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

describe('a patch', () => {
  async function changed(before: (made: Made) => void, work: (made: Made) => void) {
    const made = await makeWorkspace()
    const { workspace, records } = made
    before(made)
    await workspace.changes.before(aCall('call'))
    const start = pictureOfDisk(made.root)
    work(made)
    await workspace.changes.after({ sessionId: 'ses_1', toolUseId: 'call' })
    const events = records.map(({ data }) => ({ type: 'changes.recorded', data }) as ChangeEvent)
    return { ...made, start, diff: await new Review(workspace).ofChanges(events, {}) }
  }
  type Made = Awaited<ReturnType<typeof makeWorkspace>>

  test('has the lines of every file, whatever its name, and can be applied in reverse', async () => {
    const names = [
      'a b/x b/y',
      'a"quote',
      'tab\there',
      '\u00fcber',
      '--- a',
      'plain\\n',
      ' lead',
      'line\nbreak',
    ]
    const { root, start, diff } = await changed(
      ({ write, at }) => {
        for (const name of names) write(name, 'one\ntwo\n')
        write('end', 'no newline')
        write('gone', 'gone\n')
        write('from', 'moved\n'.repeat(9))
        write('tool', 'tool\n')
        chmodSync(at('tool'), 0o755)
      },
      ({ write, at, remove }) => {
        for (const name of names) write(name, 'one\r\nthree\n')
        write('end', 'no newline either')
        write('new tool', 'new\n')
        chmodSync(at('new tool'), 0o755)
        chmodSync(at('gone'), 0o755)
        remove('tool')
        renameSync(at('from'), at('to here'))
      },
    )

    expect(diff.files.filter(({ hunks }) => hunks.length === 0).map(({ path }) => path)).toEqual([
      'gone',
      'to here',
    ])
    execFileSync(GIT, ['apply', '--reverse', '--whitespace=nowarn', '-'], {
      cwd: root,
      input: patchText(diff.files),
    })
    expect(pictureOfDisk(root)).toEqual(start)
  })

  test('leaves out a file whose lines are not there as a whole, and one that became a link', async () => {
    const { diff } = await changed(
      ({ write }) => {
        write('long', 'x\n')
        write('link', 'x\n')
        write('other"', 'x\n')
      },
      ({ write, at, remove }) => {
        write('long', `${'y'.repeat(3_000)}\n`)
        remove('link')
        symlinkSync('long', at('link'))
        write('other"', 'y\n')
      },
    )

    expect(diff.files.map(({ path, hunks, isTruncated }) => [path, hunks.length, isTruncated])).toEqual([
      ['"other\\""', 1, undefined],
      ['link', 2, undefined],
      ['long', 1, true],
    ])
    expect(patchText(diff.files).split('\n').slice(-3)).toEqual([
      'link is not in this patch: it cannot be shown as a whole.',
      'long is not in this patch: it cannot be shown as a whole.',
      '',
    ])
  })
})
