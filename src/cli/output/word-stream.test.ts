import fc from 'fast-check'
import { expect, test } from 'vitest'
import { widthOf } from './width.js'
import { WordStream } from './word-stream.js'

function shown(parts: readonly string[], columns = 12): string {
  let written = ''
  const stream = new WordStream(
    () => columns,
    (text) => {
      written += text
    },
  )
  for (const part of [...parts, '\n']) stream.push(part)
  return written
}

test('lines are broken between words, wherever the text was cut', () => {
  const text = 'Words are nev-er broken, a-very-long-word is whole.'
  const expected = 'Words are \nnev-er \nbroken, \na-very-long-word\nis whole.\n'
  expect(shown([text])).toBe(expected)
  expect(shown(text.split(''))).toBe(expected)
})

test('scripts without spaces are broken anywhere, and wide characters count twice', () => {
  expect(shown(['日本語の文は空白なしで続く'])).toBe('日本語の文は\n空白なしで続\nく\n')
})

test('code is not broken', () => {
  const code = '```ts\nconst a = 1; const b = 2\n```\nand then text again'
  expect(shown([code])).toBe('```ts\nconst a = 1; const b = 2\n```\nand then \ntext again\n')
})

test('whatever comes, nothing is lost, lines fit and no control characters are written', () => {
  const unit = fc.constantFrom('a', 'bc', ' ', '\n', '한', '👍', '\u001b[2J', '\t')
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit, maxLength: 8 })),
      fc.integer({ min: 4, max: 20 }),
      (parts, columns) => {
        const written = shown(parts, columns)
        const bare = (text: string) => text.replaceAll(/\s/g, '').replaceAll('\u001b', '␛')
        expect(bare(written)).toBe(bare(parts.join('')))
        for (const line of written.split('\n'))
          if (widthOf(line.trimEnd()) > columns) expect(line.trim()).not.toMatch(/[ \t]/)
      },
    ),
  )
})
