/** Texts that the closed grammar accepts, and close variants that it refuses. No command is run. */

import { describe, expect, test } from 'vitest'
import { ACCEPTED, HOSTILE, REFUSED } from '../../../test/support/proof-sample.js'
import { reason } from '../../protocol/reason/reason.js'
import { createCallEnvironment } from '../file/call-environment.js'
import { emptyFileSystem } from '../file/file-system.js'
import { type PlacedFiles, placedFiles } from '../file/placed-files.js'
import { prove } from './prove.js'

const WORKSPACE = '/home/dev/project'

function proves(command: string, files?: PlacedFiles): boolean {
  const fs = files === undefined ? emptyFileSystem : placedFiles(files, WORKSPACE)
  return prove(command, createCallEnvironment({ cwd: WORKSPACE, home: '/home/dev', fs })).isProven
}

describe('accepted', () => {
  test.each(Object.entries(ACCEPTED))('%s', (_, commands) => {
    expect(commands.filter((command) => !proves(command))).toEqual([])
  })
})

describe('refused', () => {
  test.each(Object.entries(REFUSED))('%s', (_, commands) => {
    expect(commands.filter((command) => proves(command))).toEqual([])
  })
})

test('no command that did harm in an attack is proven', () => {
  expect(HOSTILE.filter((command) => proves(command))).toEqual([])
})

describe('files', () => {
  const file = { file: '' }
  test.each<[string, PlacedFiles, string]>([
    ['a link that leads outside, named', { 'n.txt': { symlink: '../outside.txt' } }, 'cat n.txt'],
    [
      'a link that leads outside, met by a glob',
      { 'sub/n.txt': { symlink: '../../outside.txt' } },
      'cat sub/*',
    ],
    ['a link to a protected file', { 'n.txt': { symlink: '.env' }, '.env': file }, 'cat n.txt'],
    ['a protected file met by a glob', { 'config/prod.env': file }, 'cat config/*'],
    ['a hidden protected file met by a glob with a dot', { '.env': file }, 'cat .e*'],
    ['a protected file below a searched tree', { 'config/prod.env': file }, 'grep -rn KEY .'],
    ['a protected file below a searched folder', { 'config/secrets.json': file }, 'rg KEY config'],
    [
      'a protected file below a compared tree',
      { 'config/.env': file, 'docs/a.md': file },
      'diff -rN docs config',
    ],
    [
      'changes of a rebase that has stopped, below a searched tree',
      { '.git/rebase-apply/patch': file, 'a.ts': file },
      'grep -rn x .',
    ],
    ['a link out of a searched tree', { 'a/b': { symlink: '/etc' } }, 'grep -rn x a'],
    [
      'a file with a second name',
      { 'twin.txt': { hardlink: 'deploy/prod.env' }, 'deploy/prod.env': file },
      'cat twin.txt',
    ],
    [
      'a second name below a searched tree',
      { 'a/t.txt': { hardlink: 'b.txt' }, 'b.txt': file },
      'grep -rn x a',
    ],
    ['a repository inside the workspace', { 'vendor/.git/HEAD': file }, 'git -C vendor status'],
    [
      'a bare repository inside the workspace',
      { 'vendor/HEAD': file, 'vendor/objects/x': file, 'vendor/refs/x': file },
      '(cd vendor && git status)',
    ],
    [
      'a folder below a bare repository',
      {
        'v/HEAD': file,
        'v/objects/x': file,
        'v/refs/x': file,
        'v/sub/a': file,
      },
      'cd v/sub && git log',
    ],
    ['files of Signalbox below a tree', { '.signalbox/token': file }, 'grep -r . .'],
    ['a file of Signalbox met by a glob', { '.signalbox/token': file }, 'cat .signalbox/tok*'],
    ['a match that is an option which is not listed', { '-o': file, 'a.txt': file }, 'sort *'],
    ['a protected file that find hands to a reader', { 'a/.env': file }, 'find . -type f -exec cat {} +'],
    ['a protected file that xargs would read', { 'a/.env': file }, 'find . -type f | xargs cat'],
    [
      'a protected file below a folder that find hands to a recursion',
      { 'config/secrets.json': file },
      "find . -name 'c*' -exec grep -r KEY {} +",
    ],
    [
      'a protected file below a folder that xargs hands to a recursion',
      { 'config/secrets.json': file },
      "find . -name 'c*' | xargs rg KEY",
    ],
    [
      'a protected file below a folder in which find looks again',
      { 'config/secrets.json': file },
      "find . -name 'c*' | xargs -I{} find {} -type f -exec cat {} +",
    ],
    ['a name that xargs would split', { 'a/x .env': file, 'a/b.ts': file }, 'find a -type f | xargs cat'],
    ['a cd that may not happen', { 'src/a.ts': file }, 'false && cd src; cat ../outside.txt'],
    [
      'a cd through a link',
      { 'sub/deep': { dir: true }, link: { symlink: 'sub/deep' } },
      'cd link && cat ../x',
    ],
    ['a protected pathspec of git', {}, "git grep -h '' -- '.en*'"],
  ])('%s', (_, files, command) => {
    expect(proves(command, files)).toBe(false)
  })

  test.each<[string, PlacedFiles, string]>([
    ['a glob that meets ordinary files', { 'src/a.ts': file, 'src/b.ts': file }, 'wc -l src/*.ts'],
    ['a glob does not meet hidden files', { '.env': file, 'a.txt': file }, 'cat *'],
    ['ripgrep leaves hidden files out', { '.env': file, 'src/a.ts': file }, 'rg needle'],
    [
      'only files of one kind are searched',
      { 'config/prod.env': file, 'a.ts': file },
      "grep -rn x . --include='*.ts'",
    ],
    [
      'a folder that is left out',
      { 'config/prod.env': file, 'a.ts': file },
      'grep -rn x . --exclude-dir=config',
    ],
    [
      'only files of one kind are handed on',
      { 'config/prod.env': file, 'a.ts': file },
      "find . -name '*.ts' | xargs wc -l",
    ],
    ['a link inside the workspace', { 'n.txt': { symlink: 'a.txt' }, 'a.txt': file }, 'cat n.txt'],
    ['names of protected files', { '.env': file }, 'ls -la .env'],
    [
      'git in a folder of the workspace',
      { '.git/HEAD': file, 'packages/core/a.ts': file },
      'git -C packages/core log --oneline',
    ],
    [
      'both folders of a cd that may fail',
      { 'src/a.ts': file },
      'cd src; cat a.ts; ls ..'.replace('; ls ..', ''),
    ],
    ['a cd that has happened', { 'src/lib/a.ts': file }, 'cd src/lib && cat ../../a.txt'],
  ])('%s: proven', (_, files, command) => {
    expect(proves(command, files)).toBe(true)
  })
})

test('a reason says what is not understood, and where', () => {
  const environment = createCallEnvironment({
    cwd: WORKSPACE,
    home: '/home/dev',
    fs: emptyFileSystem,
  })
  expect(prove('ls ${x[0]}', environment)).toEqual({
    isProven: false,
    reason: reason('proof.syntax'),
    at: 3,
  })
  expect(prove('sort -o a b', environment)).toEqual({
    isProven: false,
    reason: reason('proof.option', { option: '-o', program: 'sort' }),
    at: 5,
  })
})

test('a simple command whose words are known may be covered, and its structure must still be proven', () => {
  const environment = createCallEnvironment({
    cwd: WORKSPACE,
    home: '/home/dev',
    fs: emptyFileSystem,
  })
  const covers = ([program]: readonly string[]) => program === 'npm'
  const isProven = (command: string) => prove(command, environment, { covers }).isProven

  expect(
    [
      'npm run build',
      'cd web && npm test 2>&1 | tail -5',
      'npm run build > build.log',
      'F=x; npm run "$F"',
    ].map(isProven),
  ).toEqual(Array(4).fill(true))
  expect(
    [
      'npm run $(id)',
      'npm run "$(id)"',
      'npm run $X',
      'npm run `id`',
      'npm run a & rm b',
      'npm run a; rm b',
      'PATH=. npm test',
      'npm run x > "$(id)"',
      'npm <(id)',
    ].map(isProven),
  ).toEqual(Array(9).fill(false))
})

test('hostile sizes end in a refusal, in bounded steps', () => {
  const pieces = [
    '(',
    '$(',
    '{a,b}',
    '"$(',
    'a|',
    'if ',
    '[a',
    '*a',
    "'",
    '\\',
    'x=a;',
    'for f in a b; do ',
    'cat <<E\n',
    '{',
    '! ',
  ]
  for (const piece of pieces) {
    expect(() => proves(piece.repeat(5_000))).not.toThrow()
    expect(() => proves(`echo ${piece.repeat(3_000)}`)).not.toThrow()
  }
  const long = 'a'.repeat(200)
  expect(proves(`ls ${'*a'.repeat(40)}b`, { [long]: { file: '' } })).toBe(true)
  expect(proves(`jq '${'['.repeat(9_000)}' a.json`)).toBe(false)
  expect(proves(`awk '${'('.repeat(9_000)}' a.txt`)).toBe(false)
  expect(proves(`sed -n '${'{'.repeat(9_000)}' a.txt`)).toBe(false)
  expect(proves(`ls ${'a '.repeat(20_000)}`)).toBe(false)
})
