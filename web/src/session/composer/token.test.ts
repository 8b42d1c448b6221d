import { expect, test } from 'vitest'
import { mentionOf, replaceToken, tokenAt } from './token.js'

/** The cursor is at the bar. */
function at(text: string) {
  const cursor = text.indexOf('|')
  return { text: text.replace('|', ''), cursor }
}

test.each([
  ['|', null],
  ['/|', 'command  0'],
  ['/comp|', 'command comp 0'],
  ['/comp|act', 'command comp 0'],
  ['/compact |', null],
  [' /comp|', null],
  ['a /comp|', null],
  ['/home/kim|', null],
  ['@|', 'file  0'],
  ['see @src/lo| now', 'file src/lo 4'],
  ['see (@a|', 'file a 5'],
  ['한글。@문서|', 'file 문서 3'],
  ['見て、@a|', 'file a 3'],
  ['mail kim@example|', null],
  ['@a b|', null],
  ['@"my doc|', 'file my doc 0'],
  ['@"done" |', null],
  ['@@|', null],
  ['line\n@a|', 'file a 5'],
])('%j has the token %j', (given, expected) => {
  const { text, cursor } = at(given)
  const token = tokenAt(text, cursor)
  expect(token && `${token.kind} ${token.query} ${token.start}`).toBe(expected)
  if (token) expect(token.end).toBe(cursor)
})

test.each([
  ['see @lo|', '@src/login.ts', true, 'see @src/login.ts |'],
  ['see @lo| now', '@src/login.ts', true, 'see @src/login.ts |now'],
  ['@sr|', '@src/', false, '@src/|'],
  ['/co|', '/compact', true, '/compact |'],
  ['@"my d|', '@"my doc.md"', true, '@"my doc.md" |'],
])('%j becomes complete with %j', (given, by, hasSpace, expected) => {
  const { text, cursor } = at(given)
  const token = tokenAt(text, cursor)
  if (!token) throw new Error('It has a token.')
  const edit = replaceToken(text, token, by, hasSpace)
  expect(`${edit.text.slice(0, edit.cursor)}|${edit.text.slice(edit.cursor)}`).toBe(expected)
})

test.each([
  ['src/login.ts', '@src/login.ts'],
  ['src/', '@src/'],
  ['.gitignore', '@.gitignore'],
  ['my doc.md', '@"my doc.md"'],
  ['my docs/', '@"my docs/'],
  ['문서.md', '@"문서.md"'],
  ['문서', '@"문서"'],
  ['a+b.ts', '@"a+b.ts"'],
  ['-x', '@-x'],
  ['odd-', '@"odd-"'],
])('%s is mentioned as %s', (path, mention) => {
  expect(mentionOf(path)).toBe(mention)
})

test('a long text without a token costs little', () => {
  for (const text of [
    '@'.repeat(100_000),
    'a'.repeat(100_000),
    `@"${' '.repeat(100_000)}`,
    '/'.repeat(100_000),
  ])
    expect(tokenAt(text, text.length)).toBeNull()
})
