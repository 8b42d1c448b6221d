/**
 * Regression cases of an external attack: commands that were allowed although they show or run something the user never
 * approved.
 */

import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { evaluatePolicy } from './evaluate-policy.js'
import { readIndexFile } from './git/index-file.js'

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd, stdio: 'pipe' })

async function workspace() {
  const home = await temporaryFolder()
  const cwd = join(home, 'project')
  mkdirSync(cwd)
  git(cwd, 'init', '-q')
  writeFileSync(join(home, 'outside.txt'), 'OUTSIDE')
  writeFileSync(join(home, 'outside.gz'), '')
  writeFileSync(join(cwd, 'README.md'), 'hello')
  writeFileSync(join(cwd, 'resp'), '../outside.txt')
  writeFileSync(join(cwd, 'a.gz'), '')
  symlinkSync('../outside.gz', join(cwd, 'k.gz'))
  symlinkSync('../outside.gz', join(cwd, 'z.zip'))
  const verdict = async (command: string, more: object = {}) =>
    (await evaluatePolicy({ tool: 'Bash', input: { command }, cwd, home, ...more })).verdict
  return { home, cwd, verdict }
}

test.each([
  'xxd README.md -b',
  'xxd -l 32 README.md -c 4',
  'strings @resp',
  'strings -- @resp',
  'strings -3 @../outside.txt',
  'ps -auxe',
  'ps -auxeww',
  'ps -eaux',
  'ps -aux -eww',
  'ps -uaxe',
  'ps -eux',
  'ps -u eve',
  'ps -u nobody -e',
  'ps -p 0 -C e',
  'zcat k',
  'zcat ./k',
  'zcat missing',
  'unzip -l z',
  'zipinfo z',
  'date -d \'TZ="/etc/hosts" now\'',
])('%s is asked', async (command) => {
  const { verdict } = await workspace()
  expect(await verdict(command)).toBe('ask')
})

test.each([
  'strings README.md',
  'xxd -b -l 32 README.md',
  'ps aux',
  'ps -ef',
  'ps -p 1 -o pid,cmd',
  'ps -C node',
  'zcat a.gz',
  'date -d yesterday',
])('%s is allowed', async (command) => {
  const { verdict } = await workspace()
  expect(await verdict(command)).toBe('allow')
})

test('git is asked where the repository holds another one whose settings it would use', async () => {
  const { cwd, verdict } = await workspace()
  expect(await verdict('git status')).toBe('allow')
  const inner = join(cwd, 'sub')
  mkdirSync(inner)
  git(inner, 'init', '-q')
  git(inner, 'commit', '-q', '--allow-empty', '-m', 'x')
  git(cwd, 'add', 'README.md', 'sub')

  for (const command of ['git status', 'git diff', 'git describe --dirty --always'])
    for (const jail of [false, true])
      expect([command, jail, await verdict(command, { jail })]).toEqual([command, jail, 'ask'])
})

test('an index that is no index is not read', () => {
  expect(readIndexFile(Buffer.from('DIRC'))).toBe(null)
  expect(readIndexFile(Buffer.from('DIRC\0\0\0\u0004\0\0\0\0'))).toBe(null)
  expect(readIndexFile(Buffer.from('DIRC\0\0\0\u0002\0\0\0\u0001'))).toBe(null)
})

test.each([
  'for f in *; do x[$f]=1; done',
  'for f in *; do echo ${f:$f}; done',
  'for f in *; do [[ $f -gt 1 ]]; done',
  'for d in */; do git -C $d status; done',
  'git show $(cat revs.txt)',
  'git log $(cat a.txt)',
  'git diff "$(cat a.txt)"',
])('not even in the jail: %s', async (command) => {
  const { verdict } = await workspace()
  expect(await verdict(command, { jail: true })).toBe('ask')
})

test.each(['/', '/proc', '/etc', '/dev', '/sys/kernel'])('%s is nobody’s workspace', async (cwd) => {
  for (const command of [
    'cat /proc/self/environ',
    'cat etc/shadow',
    'cat self/environ',
    'cat passwd',
    'strings sda',
  ])
    expect(
      (await evaluatePolicy({ tool: 'Bash', input: { command }, cwd, home: '/home/dev' })).verdict,
    ).not.toBe('allow')
  const read = { tool: 'Read', input: { file_path: '/etc/shadow' }, cwd, home: '/home/dev' }
  expect((await evaluatePolicy(read)).verdict).toBe('ask')
})

test('a relative folder is nowhere', async () => {
  const { verdict } = await workspace()
  expect(await verdict('cat README.md', { cwd: '.' })).toBe('ask')
})
