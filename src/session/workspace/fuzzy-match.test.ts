import fc from 'fast-check'
import { expect, test } from 'vitest'
import { finish } from '../../lib/sliced-work.js'
import { foldCase } from './fuzzy-match.js'
import { PathTable } from './path-table.js'

const search = (paths: readonly string[], query: string, limit = 50) =>
  finish(finish(PathTable.make(paths)).search(query, limit))

const PATHS = [
  'README.md',
  'docs/',
  'docs/index.md',
  'src/',
  'src/index.ts',
  'src/login/',
  'src/login/form.tsx',
  'src/login/index.ts',
  'src/store/login-table.ts',
  'src/store/blogin.ts',
  'test/login.test.ts',
  'web/한글 문서.md',
]

test.each([
  ['index', ['src/index.ts', 'docs/index.md', 'src/login/index.ts']],
  ['login', ['src/login/', 'test/login.test.ts', 'src/store/login-table.ts', 'src/store/blogin.ts']],
  ['LOGIN/F', ['src/login/form.tsx']],
  ['lgtbl', ['src/store/login-table.ts']],
  ['slf', ['src/login/form.tsx']],
  ['문서', ['web/한글 문서.md']],
  ['문서'.normalize('NFD'), ['web/한글 문서.md']],
  ['src/index.ts', ['src/index.ts']],
  ['nothing', []],
])('%s finds the best match first', (query, expected) => {
  expect(search(PATHS, query).slice(0, expected.length)).toEqual(expected)
})

test('without a query the top of the folder is listed, by name', () => {
  expect(search(PATHS, '')).toEqual(['README.md', 'docs/', 'src/'])
  expect(search(PATHS, '', 2)).toEqual(['README.md', 'docs/'])
})

const letters = fc.array(fc.constantFrom('a', 'b', 'A', 'é', '/', '.', '-', '가', 'x1'), { maxLength: 8 })

test('exactly the paths with the letters of the query in order are found, and the limit keeps the best', () => {
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 12 }), letters, fc.nat(5), (names, query, limit) => {
      const paths = [...new Set(names.map((name) => name.join('')))]
      const text = query.join('')
      const found = search(paths, text, 1_000)
      if (text !== '')
        expect(found.toSorted()).toEqual(paths.filter((path) => isSubsequence(path, text)).toSorted())
      expect(search(paths, text, limit)).toEqual(found.slice(0, limit))
    }),
    { numRuns: 300 },
  )
})

function isSubsequence(path: string, query: string): boolean {
  const whole = foldCase(path)
  let at = 0
  for (const unit of foldCase(query).split('')) {
    at = whole.indexOf(unit, at) + 1
    if (at === 0) return false
  }
  return true
}
