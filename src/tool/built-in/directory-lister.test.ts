import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { aToolContext } from '../../../test/support/tool-context.js'
import { systemClock } from '../../lib/clock.js'
import { callTool } from '../call.js'
import { expandBraces } from '../listing/glob.js'
import { createDirectoryLister } from './directory-lister.js'

async function workspace(files: Record<string, string> | readonly string[]) {
  const folder = await temporaryFolder()
  const contents = Array.isArray(files)
    ? files.map((name) => [name, ''] as const)
    : Object.entries(files as Record<string, string>)
  for (const [name, content] of contents) {
    await mkdir(name.endsWith('/') ? join(folder, name) : dirname(join(folder, name)), { recursive: true })
    if (!name.endsWith('/')) await writeFile(join(folder, name), content)
  }
  const list = async (args: Record<string, unknown> = {}, clock = systemClock) => {
    const result = await callTool(createDirectoryLister(clock), args, aToolContext({ workspace: folder }))
    const texts = result.content.map((part) => (part.type === 'text' ? part.text : ''))
    return result.isError ? `failed: ${texts.join('|')}` : texts.join('|')
  }
  const lines = async (args: Record<string, unknown> = {}) => (await list(args)).split('\n')
  return { folder, list, lines }
}

test('a folder is listed level by level, sorted, with marks for folders and links', async () => {
  const { folder, lines } = await workspace(['b/deep/x', 'b/a', 'a.txt', '.hidden', 'empty/', '.git/config'])
  await symlink('b', join(folder, 'link'))
  expect(await lines()).toEqual(['.hidden', 'a.txt', 'b/', 'empty/', 'link@', 'b/a', 'b/deep/', 'b/deep/x'])
  expect(await lines({ depth: 1 })).toEqual(['.hidden', 'a.txt', 'b/', 'empty/', 'link@'])
  expect(await lines({ targetPath: 'b' })).toEqual(['a', 'deep/', 'deep/x'])
  expect(await lines({ targetPath: 'link', depth: 1 })).toEqual(['a', 'deep/'])
})

test('what .gitignore hides is not shown: nested, with exceptions, and from folders above', async () => {
  const { list, lines } = await workspace({
    '.gitignore': 'node_modules/\n*.log\n/out\n',
    'node_modules/m/index.js': '',
    'a.log': '',
    'out/x': '',
    'src/.gitignore': '!keep.log\ntmp\n',
    'src/keep.log': '',
    'src/other.log': '',
    'src/tmp/x': '',
    'src/out/x': '',
  })
  expect(await lines()).toEqual([
    '.gitignore',
    'src/',
    'src/.gitignore',
    'src/keep.log',
    'src/out/',
    'src/out/x',
  ])
  expect(await lines({ targetPath: 'src' })).toEqual(['.gitignore', 'keep.log', 'out/', 'out/x'])
  // A folder that is named is listed although it is ignored itself.
  expect(await lines({ targetPath: 'node_modules' })).toEqual(['m/', 'm/index.js'])
  expect(await list({ targetPath: 'out', excludePatterns: ['*'] })).toBe(
    '[There is nothing in out. 1 entries are ignored or excluded.]',
  )
})

test('patterns exclude, as in a .gitignore of the folder', async () => {
  const { lines } = await workspace(['a.ts', 'a.js', 'dist/a.js', 'lib/dist/a.js'])
  expect(await lines({ excludePatterns: ['*.js'] })).toEqual(['a.ts', 'dist/', 'lib/', 'lib/dist/'])
  expect(await lines({ excludePatterns: ['/dist'] })).toEqual([
    'a.js',
    'a.ts',
    'lib/',
    'lib/dist/',
    'lib/dist/a.js',
  ])
  expect(await lines({ excludePatterns: ['dist', '*.js', '!a.js'] })).toEqual(['a.js', 'a.ts', 'lib/'])
})

test.each([
  ['substring', 'READ', ['readme.md', 'docs/README.ko.md']],
  ['substring', 'docs/read', ['docs/README.ko.md']],
  ['substring', '*', []],
  ['glob', '*.md', ['readme.md', 'docs/README.ko.md']],
  ['glob', 'docs/*', ['docs/README.ko.md', 'docs/api/']],
  ['glob', '**/api/*.{ts,js}', ['docs/api/a.js', 'docs/api/b.ts']],
  ['glob', 'README*', ['docs/README.ko.md']],
  ['regex', '^[a-z]+\\.md$', ['readme.md']],
  ['regex', '^docs/.*\\.ts$', ['docs/api/b.ts']],
  ['regex', '한글', ['docs/api/한글.txt']],
] as const)('a search by %s %s', async (searchMode, query, found) => {
  const { lines, list } = await workspace([
    'readme.md',
    'docs/README.ko.md',
    'docs/api/a.js',
    'docs/api/b.ts',
    'docs/api/한글.txt',
  ])
  if (found.length === 0)
    expect(await list({ query, searchMode })).toBe('[Nothing was found in the workspace.]')
  else expect(await lines({ query, searchMode })).toEqual(found)
})

test('without a mode a query is a piece of a name, and an empty one is none', async () => {
  const { lines } = await workspace(['abc', 'b/c'])
  expect(await lines({ query: 'B' })).toEqual(['abc', 'b/'])
  expect(await lines({ query: '' })).toEqual(['abc', 'b/', 'b/c'])
})

test.each([
  [{ depth: 0 }, 'depth counts levels from 1; 0 does not.'],
  [{ depth: 1.5 }, 'depth counts levels from 1; 1.5 does not.'],
  [{ query: '(', searchMode: 'regex' }, 'query is not a regular expression: Invalid regular expression'],
  [{ query: '[a', searchMode: 'glob' }, '[a is not a glob'],
  [{ query: 'x'.repeat(1_001) }, 'query is longer than 1000 characters'],
  [{ query: '{a,b}'.repeat(7), searchMode: 'glob' }, 'The braces of the glob stand for too many patterns'],
  [{ excludePatterns: Array.from({ length: 101 }, () => 'x') }, 'excludePatterns has more than 100 patterns'],
  [{ targetPath: 'gone' }, 'gone does not exist.'],
  [{ targetPath: 'file' }, 'file is not a folder.'],
  [{ targetPath: '..' }, '.. leads outside the workspace'],
  [{ searchMode: 'fuzzy' }, 'The input of directory_lister is not as expected'],
])('%j is refused', async (args, problem) => {
  expect(await (await workspace(['file'])).list(args)).toContain(`failed: ${problem}`)
})

test('an expression that would run for ever is stopped', async () => {
  const { list } = await workspace([`${'a'.repeat(60)}b`])
  expect(await list({ query: '^(a+)+$', searchMode: 'regex' })).toBe(
    'failed: The regular expression takes too long. Use a simpler one.',
  )
})

test('an expression can reach nothing of this process', async () => {
  const { list } = await workspace(['a'])
  expect(await list({ query: ')/; globalThis.process.exit(1); /(', searchMode: 'regex' })).toContain(
    'failed: query is not a regular expression',
  )
})

test('a listing is bounded and says how to narrow it', async () => {
  const names = Array.from({ length: 1_200 }, (_, index) => `d/f${String(index).padStart(4, '0')}`)
  const { lines } = await workspace([...names, 'z'])
  const shown = await lines()
  expect(shown.slice(0, 3)).toEqual(['d/', 'z', 'd/f0000'])
  expect(shown).toHaveLength(1_000)
  expect(shown.at(-1)).toBe(
    'd/f0997|[Only the first 1000 are shown. Narrow it down with targetPath, depth, excludePatterns or query.]',
  )
  expect(await lines({ query: 'f119' })).toHaveLength(10)
})

test('a large folder is read in pieces, and its first page is there without the rest', async () => {
  const names = Array.from({ length: 4_000 }, (_, index) => `file-with-a-rather-long-name-${index}.txt`)
  const { lines, list } = await workspace([...names, 'sub/x'])
  const shown = await lines({ excludePatterns: ['*7.txt'] })
  expect(shown.at(-1)).toMatch(/\[Only the first \d+ are shown/)
  expect(shown.filter((line) => line.endsWith('7.txt'))).toEqual([])
  expect((await list({ query: 'name-3999' })).trim()).toBe('file-with-a-rather-long-name-3999.txt')
  expect(await list({ query: '^x$', searchMode: 'regex' })).toBe('sub/x')
})

test('a walk that takes too long ends and says so', async () => {
  const { list } = await workspace(['a/b/c/d'])
  const clock = createManualClock()
  const hurried = {
    ...clock,
    now: () => {
      clock.advance(8_000)
      return clock.now()
    },
  }
  expect(await list({}, hurried)).toBe(
    'a/\na/b/|[There was too much to look through all of it. Narrow it down with targetPath or depth.]',
  )
})

test('names with line breaks cannot pretend to be several', async () => {
  const { lines } = await workspace(['a\nb'])
  expect(await lines()).toEqual(['"a\\nb"'])
})

test('an interrupt ends a walk', async () => {
  const { folder } = await workspace(['a'])
  const signal = AbortSignal.abort()
  expect(
    await callTool(createDirectoryLister(systemClock), {}, aToolContext({ workspace: folder, signal })),
  ).toMatchObject({ isError: true })
})

test.each([
  ['a.{ts,js}', ['a.ts', 'a.js']],
  ['{a,{b,c}}/{d,e}', ['a/d', 'a/e', 'b/d', 'b/e', 'c/d', 'c/e']],
  ['{a}', ['{a}']],
  ['{a', ['{a']],
  ['a}', ['a}']],
  ['\\{a,b}', ['\\{a,b}']],
  ['{,x}y', ['y', 'xy']],
])('braces: %s', (pattern, expanded) => {
  expect(expandBraces(pattern)).toEqual(expanded)
})
