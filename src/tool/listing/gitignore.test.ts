import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { type IgnoreRules, isIgnored, parseIgnoreRules } from './gitignore.js'

function ignored(text: string, path: string): boolean {
  return isOut(parseIgnoreRules(text, 0, null), path.replace(/\/$/, '').split('/'), path.endsWith('/'))
}

function isOut(rules: IgnoreRules, names: readonly string[], isFolder: boolean): boolean {
  return isIgnored(rules, names.slice(0, -1), names.at(-1) ?? '', isFolder)
}

test.each([
  ['*.log', ['a.log', 'x/y.log'], ['a.log.txt', 'log']],
  ['build/', ['build/', 'x/build/'], ['build']],
  ['/build', ['build', 'build/'], ['x/build']],
  ['doc/*.txt', ['doc/a.txt'], ['doc/x/a.txt', 'x/doc/a.txt']],
  ['doc/**/*.txt', ['doc/a.txt', 'doc/x/y/a.txt'], ['x/doc/a.txt']],
  ['**/foo', ['foo', 'a/b/foo'], ['foobar']],
  ['***/foo', ['foo', 'a/b/foo'], ['foobar']],
  ['foo/**', ['foo/a', 'foo/a/b'], ['foo/']],
  ['a/**/b', ['a/b', 'a/x/y/b'], ['b', 'x/a/b']],
  ['[a-c]?.ts', ['b1.ts', 'cx.ts'], ['d1.ts', 'b.ts']],
  ['[!a-c].ts', ['d.ts'], ['a.ts']],
  ['\\#a\n\\!b\nc\\ ', ['#a', '!b', 'c '], ['c']],
  ['# comment\n\n   \nx  ', ['x'], ['# comment', '   ']],
  ['*.log\n!keep.log', ['a.log'], ['keep.log']],
  ['!keep.log\n*.log', ['keep.log'], []],
  ['[x', [], ['[x', 'x']],
  ['일기*.md', ['일기-1.md'], ['diary.md']],
])('%j', (text, yes, no) => {
  expect(yes.filter((path) => !ignored(text, path))).toEqual([])
  expect(no.filter((path) => ignored(text, path))).toEqual([])
})

test('a nearer file decides before one further up', () => {
  const above = parseIgnoreRules('*.log\n/x/out', 0, null)
  const near: IgnoreRules = parseIgnoreRules('!b.log\nout2', 1, above)

  expect(isOut(near, ['x', 'a.log'], false)).toBe(true)
  expect(isOut(near, ['x', 'b.log'], false)).toBe(false)
  expect(isOut(near, ['x', 'out'], true)).toBe(true)
  expect(isOut(near, ['x', 'out2'], true)).toBe(true)
  expect(isOut(above, ['out2'], true)).toBe(false)
})

test('a pattern full of stars takes no time', () => {
  const rules = parseIgnoreRules(`${'*a'.repeat(200)}b\n${'**/a/'.repeat(100)}b`, 0, null)
  const names = Array.from({ length: 100 }, () => 'a'.repeat(250))
  expect(isOut(rules, names, false)).toBe(false)
})

const hasGit = spawnSync('git', ['--version']).status === 0

describe.skipIf(!hasGit)('as git does', () => {
  const letter = fc.constantFrom(
    'a',
    'b',
    'c',
    '*',
    '?',
    '**',
    '/',
    '.',
    '[ab]',
    '[!a]',
    '[^b-c]',
    '\\',
    '\\*',
    '!',
    '#',
    ' ',
    '[',
    ']',
    '-',
  )
  const pattern = fc
    .array(letter, { minLength: 1, maxLength: 7 })
    .map((parts) => parts.join(''))
    // A "/" in a set is the one thing that we read otherwise. A "]" that comes first belongs to the set.
    .filter((text) => !/\[[!^]?\]?[^\]]*\//.test(text))
  const name = fc
    .array(fc.constantFrom('a', 'b', 'c', '.', '*', '-', '#', '!'), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join(''))
    .filter((text) => !/^\.+$/.test(text))
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'))

  test('for any patterns and any files', async () => {
    const folder = await temporaryFolder()
    execFileSync('git', ['init', '-q', folder])
    const cases = fc.sample(
      fc.tuple(
        fc.array(pattern, { minLength: 1, maxLength: 4 }),
        fc.array(path, { minLength: 5, maxLength: 12 }),
      ),
      150,
    )
    const wrong: unknown[] = []
    for (const [index, [patterns, paths]] of cases.entries()) {
      const base = join(folder, `${index}`)
      mkdirSync(base)
      const text = patterns.join('\n')
      writeFileSync(join(base, '.gitignore'), text)
      const files = paths.filter((candidate) => {
        try {
          mkdirSync(dirname(join(base, candidate)), { recursive: true })
          writeFileSync(join(base, candidate), '', { flag: 'wx' })
          return true
        } catch {
          return false // A file stands where this one needs a folder.
        }
      })
      const { stdout } = spawnSync('git', ['check-ignore', '--no-index', '-z', '--stdin'], {
        cwd: base,
        input: files.join('\0'),
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
      })
      const byGit = new Set(stdout.split('\0').filter((file) => file !== ''))
      const rules = parseIgnoreRules(text, 0, null)
      // A file is out as soon as a folder above it is.
      const byUs = (file: string) =>
        file
          .split('/')
          .some((_, depth, names) => isOut(rules, names.slice(0, depth + 1), depth + 1 < names.length))
      for (const file of files) {
        if (byGit.has(file) !== byUs(file)) wrong.push({ patterns, file, git: byGit.has(file) })
      }
    }
    expect(wrong).toEqual([])
  })
})
