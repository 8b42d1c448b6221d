import fc from 'fast-check'
import { expect, test } from 'vitest'
import { leastTime } from '../../../test/support/processor-time.js'
import { mentionsIn, wordsAsPaths } from './mention.js'

const readings = (text: string) => mentionsIn(text).paths

test('a mention is found with quotes, a line range or punctuation around it', () => {
  expect(readings('look at @.env, please')).toContain('.env')
  expect(readings('(@src/a.ts)')).toContain('src/a.ts')
  expect(readings('@"my file.txt" and @\'other file\'')).toEqual(
    expect.arrayContaining(['my file.txt', 'other file']),
  )
  expect(readings('@"my\nfile.txt#L3"')).toContain('my\nfile.txt')
  expect(readings('@.env#L1-5')).toContain('.env')
  expect(readings('@.env:3')).toContain('.env')
  expect(readings('@~/.ssh/id_rsa.')).toContain('~/.ssh/id_rsa')
  expect(readings('@@.env')).toContain('.env')
  expect(readings('\u3002@.env')).toContain('.env')
})

test('whatever follows a path, the path is among the readings, or the text is unclear', () => {
  const end = fc.oneof(
    fc.constantFrom(...'*|=+&`<>、。”’~$^%@#:;,.!?)]}(/\\-…）」를は'.split(''), '\u200b', '\u0000', '\u00a0'),
    fc.string({ minLength: 1, maxLength: 1, unit: 'grapheme' }).filter((sign) => !/^\w/.test(sign)),
  )
  const more = fc.string({ maxLength: 12, unit: 'grapheme' })
  fc.assert(
    fc.property(fc.constantFrom('.env', 'src/a.ts', '/etc/x', '~/y'), end, more, (path, sign, rest) => {
      // The path goes on: `.env.-0` is another file.
      const isPath = /^[/.~-]+\w/.test(`${sign}${rest}`)
      const { paths, isUnclear } = mentionsIn(`see @${path}${sign}${rest}`)
      expect(isPath || isUnclear || paths.includes(path)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

test('what cannot be read for sure is unclear: endless, a space that belongs to the name, a resource of a server', () => {
  for (const text of [
    `@${'a/'.repeat(3_000)}`,
    `@"${'a'.repeat(5_000)}"`,
    '@my\\ file.txt',
    '@server:file:///etc/passwd',
    `@${'a|'.repeat(30)}`,
  ])
    expect(mentionsIn(text).isUnclear).toBe(true)
  for (const text of ['git@github.com:org/repo.git', '@README.md:12', '@src/a.ts:', '@types/node me@x.org'])
    expect(mentionsIn(text).isUnclear).toBe(false)
})

test('signs that are not seen do not hide a path', () => {
  expect(readings('@.e\u200bnv')).toContain('.env')
  expect(readings('@\u2060.env')).toContain('.env')
})

test('a text without an @ mentions nothing, but its words may be paths to a skill', () => {
  expect(mentionsIn('fix .env')).toEqual({ paths: [], isUnclear: false })
  expect(wordsAsPaths('fix ".env" 。.env。').paths).toEqual(expect.arrayContaining(['fix', '.env']))
})

test('reading is linear in the text', () => {
  for (const letter of ['@', '"', "'", '.', '#', ':', 'a', ' ', 'a/', '@a ', '|']) {
    const text = `@${letter.repeat(200_000)}`
    expect(mentionsIn(text).paths.length).toBeLessThan(100)
    expect(leastTime(() => mentionsIn(text), 200)).toBeLessThan(1_000)
  }
})
