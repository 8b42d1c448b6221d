import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseAnsi } from './ansi.js'

const ESC = '\u001b'

test('colours and attributes become class names until they are reset', () => {
  expect(parseAnsi(`a${ESC}[1;31mred${ESC}[0m b${ESC}[38;5;10mgreen${ESC}[39m${ESC}[4mline`)).toEqual([
    { text: 'a', style: '' },
    { text: 'red', style: 'fg-1 bold' },
    { text: ' b', style: '' },
    { text: 'green', style: 'fg-10' },
    { text: 'line', style: 'underline' },
  ])
})

test('cursor movement, titles and links are dropped', () => {
  const text = `${ESC}[2J${ESC}[10;10Hhello${ESC}]0;title\u0007${ESC}]8;;http://evil.example\u0007link${ESC}]8;;\u0007`
  expect(parseAnsi(text)).toEqual([
    { text: 'hello', style: '' },
    { text: 'link', style: '' },
  ])
})

test('an overwritten line shows its last state', () => {
  expect(parseAnsi('10%\r50%\r100%\ndone\r\n')).toEqual([{ text: '100%\ndone\n', style: '' }])
})

test('plain text is unchanged, and any input yields only text and known class names', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const parts = parseAnsi(text)
      expect(
        parts.every(({ style }) => /^(?:(?:fg|bg)-\d{1,2}|bold|dim|italic|underline|struck| )*$/.test(style)),
      ).toBe(true)
      expect(parts.some((part) => part.text === '')).toBe(false)
    }),
  )
  fc.assert(
    fc.property(
      fc.string({ maxLength: 200 }).filter((text) => !text.includes('\r') && !text.includes(ESC)),
      (text) => {
        expect(
          parseAnsi(text)
            .map((part) => part.text)
            .join(''),
        ).toBe(text)
      },
    ),
  )
})
