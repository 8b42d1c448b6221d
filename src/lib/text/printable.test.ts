import { expect, test } from 'vitest'
import { printable } from './printable.js'

test('characters that act on a terminal, turn text around or hide it are made visible', () => {
  expect(printable('a\u001b[2J\u0007\r\u007f\u009b')).toBe('a␛[2J␇␍␡�')
  expect(printable('\u202eabc\u2066\u061c\u200f\u2028\u2029')).toBe('�abc�����')
  expect(printable('rm a\u{e0062}\u{e0063}')).toBe('rm a��')
})

test('texts in any script stay as they are', () => {
  const text = 'tab\tand\nline, 한국어, 日本語, العربية, 👩‍💻, é, ไทย\u200bไทย, half \ud800'
  expect(printable(text)).toBe(text)
})
