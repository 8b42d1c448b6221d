import fc from 'fast-check'
import { expect, test } from 'vitest'
import { processorTime } from '../../../test/support/processor-time.js'
import { normalizeText } from './normalize.js'

const FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const

test('a text that somebody may write is normalised as by Unicode', () => {
  const letter = fc.constantFrom(
    ...Array.from('a\u00e9\u0301\u0323\u0344\uac01\u1100\u1161\ufdfa\uff21\u{1d165}'),
  )
  fc.assert(
    fc.property(fc.array(letter, { maxLength: 30 }), fc.constantFrom(...FORMS), (letters, form) => {
      const text = letters.join('')
      expect(normalizeText(text, form)).toBe(text.normalize(form))
    }),
  )
})

test('a text of combining marks takes no quadratic time, and keeps all of them', () => {
  const text = `a${'\u0301\u0323'.repeat(100_000)}`

  expect(processorTime(() => normalizeText(text, 'NFKC'))).toBeLessThan(500)
  expect(normalizeText(text, 'NFD').replaceAll('\u034f', '').length).toBe(text.length)
})
