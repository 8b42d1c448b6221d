import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutText, cutUtf8, wellFormed } from './truncate.js'

const texts = fc.string({ unit: 'binary' })

test('a text cut by bytes is its longest start that fits', () => {
  fc.assert(
    fc.property(texts, fc.nat(40), (text, maxBytes) => {
      const cut = cutUtf8(text, maxBytes)
      const rest = Array.from(text.slice(cut.length))

      expect(text.startsWith(cut)).toBe(true)
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes)
      if (rest[0] !== undefined) expect(Buffer.byteLength(cut + rest[0])).toBeGreaterThan(maxBytes)
    }),
  )
})

test('a text cut by length never ends in half a character', () => {
  fc.assert(
    fc.property(texts, fc.nat(20), (text, maxLength) => {
      const cut = cutText(text, maxLength)
      expect(text.startsWith(cut)).toBe(true)
      expect(cut.length).toBeLessThanOrEqual(maxLength)
      expect(wellFormed(cut)).toBe(cut)
    }),
  )
})

test('half a character is replaced, whole ones stay', () => {
  expect(wellFormed('a\ud83db😀\udc00')).toBe('a\ufffdb😀\ufffd')
})
