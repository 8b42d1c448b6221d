import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wellFormed } from '../../lib/text/truncate.js'
import { previewOf } from './preview.js'

test('a short text is its own preview; a long one ends between two words', () => {
  expect(previewOf('a short text', 12)).toBe('a short text')
  expect(previewOf('the password is hunter22secret', 22)).toBe('the password is…')
  expect(previewOf('見よ、これは長い文章である', 6)).toBe('見よ、これ…')
  expect(previewOf('x'.repeat(30), 10)).toBe(`${'x'.repeat(9)}…`)
})

test('no preview ends within a word, holds half a character or is too long', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcXYZ012-_/.'.split('')), minLength: 1, maxLength: 20 })
  const words = fc.array(fc.oneof(word, fc.constant('😀')), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(words, fc.integer({ min: 22, max: 60 }), (all, max) => {
      const preview = previewOf(all.join(' '), max)
      expect(preview.length).toBeLessThanOrEqual(max)
      expect(wellFormed(preview)).toBe(preview)
      const shown = preview.replace(/…$/, '').split(' ')
      expect(shown).toEqual(all.slice(0, shown.length))
    }),
  )
})
