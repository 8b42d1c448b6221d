/** Plain patterns, as ignore files have them: one parser with all others, and a walk of their own. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitsPlain } from './fit-plain.js'
import { fitsWhole } from './glob.js'
import { type GlobSyntax, parseGlob } from './parse-glob.js'

const PLAIN: GlobSyntax = { braces: false, paths: false, isPlain: true }

function fits(pattern: string, text: string): boolean | null {
  const tokens = parseGlob(pattern, PLAIN)
  return tokens === null ? null : fitsPlain(tokens, text)
}

test.each([
  ['a*b', 'a-b', true],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-b-b', false],
  ['*ab', 'aab', true],
  ['?', '😀', true],
  ['[a-c]?', 'b😀', true],
  ['[!a]', 'a', false],
  ['[]a]', ']', true],
  ['[[:digit:]]*', '7up', true],
  ['@(a|b)', 'a', false],
  ['@(a|b)', '@(a|b)', true],
  ['{a,b}', '{a,b}', true],
  ['\\*', '*', true],
  ['\\*', 'a', false],
  ['', '', true],
  ['[a', '[a', null],
  ['a\\', 'a\\', null],
])('%s and %s: %s', (pattern, text, expected) => {
  expect(fits(pattern, text)).toBe(expected)
})

test('both walks of the engine agree about plain patterns', () => {
  const piece = fc.constantFrom('*', '?', 'a', 'b', '😀', '[ab]', '[!a]', '\\*')
  const patterns = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
  const texts = fc
    .array(fc.constantFrom('a', 'b', '*', '😀'), { maxLength: 8 })
    .map((pieces) => pieces.join(''))

  fc.assert(
    fc.property(patterns, texts, (pattern, text) => {
      const tokens = parseGlob(pattern, PLAIN) ?? []
      expect(fitsPlain(tokens, text)).toBe(fitsWhole({ tokens, syntax: PLAIN }, text))
    }),
    { numRuns: 2_000 },
  )
})

test('a pattern of many stars costs little more than one', () => {
  const tokens = parseGlob(`${'*a'.repeat(400)}b`, PLAIN) ?? []
  const before = process.cpuUsage()
  for (let count = 0; count < 1_000; count += 1) expect(fitsPlain(tokens, 'a'.repeat(255))).toBe(false)
  const { user } = process.cpuUsage(before)

  expect(user / 1_000).toBeLessThan(1_000)
})
