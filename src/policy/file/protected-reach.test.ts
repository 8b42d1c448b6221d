/**
 * Protected files that the command does not name: behind symlinks and globs, in trees, in revisions, under another
 * name.
 */

import { describe, expect, test } from 'vitest'
import { evaluate, judgeCall } from '../evaluate.js'
import type { PlacedFiles } from './placed-files.js'
import { placedFiles } from './placed-files.js'

const WORKSPACE = '/home/dev/project'
const FILES: PlacedFiles = {
  'README.md': { file: '' },
  '.env': { file: '' },
  'src/a.ts': { file: '' },
  'docs/guide.md': { file: '' },
  'config/app.json': { file: '' },
  'config/prod.env': { file: '' },
  'sub/n.txt': { symlink: '../../outside.txt' },
  'plain/a.txt': { file: '' },
  'linked/e.txt': { symlink: '../.env' },
  'twin.txt': { hardlink: 'deploy/prod.env' },
  'deploy/prod.env': { file: '' },
}

function call(tool: string, input: unknown, placed = FILES) {
  return {
    tool,
    input,
    mode: 'default' as const,
    cwd: WORKSPACE,
    home: '/home/dev',
    fs: placedFiles(placed, WORKSPACE),
  }
}

const bash = (command: string) => call('Bash', { command })

/** Sums up the findings: `contained` if the read-only jail contains all of them. */
function asked(command: string): string {
  const { findings } = judgeCall(bash(command))
  if (findings.length === 0) return 'nothing'
  return findings.every(({ isContained }) => isContained === true) ? 'contained' : 'ordinary'
}

describe('git', () => {
  test.each([
    'git show origin/main:.env',
    'git show HEAD:.env',
    'git show HEAD~2:config/prod.env',
    'git cat-file -p a/b:.env',
    'git show :0:.env',
    'git show :.env',
    'git show main:x:.env',
    'git log -L1,5:.env',
    'git log -L :main:.env',
    "git grep -h '' -- '.en*'",
    "git log -p -- '.en?'",
    "git log -p -- '*nv'",
    "git diff -- ':(glob).en*'",
    "git diff -- ':(top).env'",
    'git diff -- :/.env',
    "git diff HEAD:'.en*'",
    'git diff HEAD -- .env',
    'git blame .env',
  ])('%s is asked, also in the jail', (command) => {
    expect(asked(command)).toBe('ordinary')
  })

  test.each(['git diff --no-index docs config', 'git grep --no-index KEY'])(
    '%s is asked, and the jail contains it',
    (command) => {
      expect(asked(command)).toBe('contained')
    },
  )

  test.each([
    'git show origin/main:src/a.ts',
    'git show HEAD:README.md',
    'git diff main..dev -- src',
    "git diff -- ':!package-lock.json'",
    "git diff -- . ':(exclude)docs'",
    "git log --oneline -- '*.ts'",
    'git log -L1,5:src/a.ts',
    'git show :README.md',
    'git diff HEAD~2 HEAD@{1}',
  ])('%s is not asked', (command) => {
    expect(asked(command)).toBe('nothing')
  })
})

describe('names that find lists', () => {
  test.each([
    "cat $(find . -name '*nv')",
    'find . -name README.md -o -type f | xargs cat',
    'find . -not \\( -name x \\) | xargs cat',
    "find . -name 'prod*' | xargs cat",
    'find . -type f -exec cat {} +',
    "find . -name '*.md' -exec grep -n x {} \\;",
    "find . -name '*.ts' | xargs wc -l",
    'git ls-files | xargs cat',
    'git ls-files | xargs grep -n x',
  ])('%s is asked, and the jail contains it', (command) => {
    expect(asked(command)).toBe('contained')
  })

  test.each([
    'find . -name .env -exec cat {} +',
    "find . -name '*.ts' -exec sed -n 1p {} \\; -exec touch x \\;",
    'find . -type f -execdir cat {} +',
    'git ls-files | xargs sed -n 1p',
    'git ls-files | xargs rg x',
    'find . -type f -exec sh -c "cat {}" \\;',
    'find . -type f -exec ./x {} +',
  ])('%s is asked, also in the jail', (command) => {
    expect(asked(command)).toBe('ordinary')
  })

  test.each([
    'find . -delete',
    'find . -delete -name x',
    'find . -name README.md -o -type f -delete',
    'find . -type f -exec rm -rf {} +',
    'find . -name .env -delete',
    'find . \\( -name a -o -name .env \\) -delete',
  ])('%s is denied', (command) => {
    expect(evaluate(bash(command)).verdict).toBe('deny')
  })

  test.each([
    "find . -name '*.tmp' -delete -o -print",
    'find . \\( -name a -o -name b \\) -delete',
    "find . -path './build/*' -exec rm -rf {} +",
    "find . -name '*.md'",
    "find . -path ./node_modules -prune -o -name '*.ts' -print",
  ])('%s is not denied', (command) => {
    expect(evaluate(bash(command)).verdict).not.toBe('deny')
  })
})

describe('globs, trees and other names', () => {
  test.each([
    'cat sub/*',
    'cat linked/*',
    'grep -rn KEY .',
    'grep -Rn KEY sub',
    'grep -r KEY',
    'grep -d recurse KEY .',
    'diff -rN docs config',
    'rg --hidden KEY',
    'rg KEY config',
    'rg -uu KEY',
  ])('%s is asked, and the jail contains it', (command) => {
    expect(asked(command)).toBe('contained')
  })

  test.each(['cat twin.txt', 'head -1 twin.txt', 'cat < twin.txt', 'cat config/*', 'cat .e*'])(
    '%s is asked, also in the jail',
    (command) => {
      expect(asked(command)).toBe('ordinary')
    },
  )

  test.each([
    'cat plain/*',
    'grep -rn KEY src',
    "grep -rn KEY --include='*.ts' .",
    'grep -rl KEY .',
    'rg -t ts KEY',
    "rg -g '*.md' KEY",
    'diff -r src docs',
    'ls -R .',
  ])('%s is not asked', (command) => {
    expect(asked(command)).toBe('nothing')
  })

  test('a tree that is too large to look through is asked', () => {
    const many = Object.fromEntries(
      Array.from({ length: 4100 }, (_, number) => [`src/${number}.ts`, { file: '' }] as const),
    )
    const { verdict, rule } = evaluate(call('Bash', { command: 'grep -rn x .' }, many))
    expect([verdict, rule]).toEqual(['ask', 'protected-read'])
  })

  test.each([
    ['Read', { file_path: 'twin.txt' }],
    ['Read', { file_path: 'sub/n.txt' }],
    ['Read', { file_path: 'linked/e.txt' }],
    ['Grep', { pattern: 'x', glob: '*nv' }],
    ['Grep', { pattern: 'x', output_mode: 'content' }],
    ['Grep', { pattern: 'x', path: 'config', output_mode: 'content' }],
    ['Grep', { pattern: 'x', glob: '*', output_mode: 'content' }],
  ])('%s %o is asked', (tool, input) => {
    expect(evaluate(call(tool, input)).verdict).toBe('ask')
  })

  test.each([
    ['Grep', { pattern: 'x' }],
    ['Grep', { pattern: 'x', glob: '*.ts', output_mode: 'content' }],
    ['Grep', { pattern: 'x', type: 'ts', output_mode: 'content' }],
    ['Grep', { pattern: 'x', path: 'src', output_mode: 'content' }],
  ])('%s %o is allowed', (tool, input) => {
    expect(evaluate(call(tool, input)).verdict).toBe('allow')
  })
})
