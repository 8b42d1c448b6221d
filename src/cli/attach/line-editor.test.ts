import { expect, test } from 'vitest'
import { edit } from './line-editor.js'

const typed = (...inputs: string[]) =>
  inputs.reduce<ReturnType<typeof edit>>(
    (before, input) => edit('text' in before ? before.text : '', input),
    { kind: 'text', text: '' },
  )

test('keys make a line, and Enter sends it', () => {
  expect(typed('h', 'i')).toEqual({ kind: 'text', text: 'hi' })
  expect(typed('h', 'i', '\r')).toEqual({ kind: 'send', text: 'hi' })
  expect(typed('hi\r')).toEqual({ kind: 'send', text: 'hi' })
  expect(typed(' ', '\r')).toEqual({ kind: 'text', text: '' })
})

test('characters, words and the line are deleted', () => {
  expect(typed('한', '글', '\u007f')).toEqual({ kind: 'text', text: '한' })
  expect(typed('one two', '\u0017')).toEqual({ kind: 'text', text: 'one ' })
  expect(typed('one two', '\u0015')).toEqual({ kind: 'text', text: '' })
})

test('Ctrl-C first clears the line, then interrupts; Ctrl-D leaves only an empty line', () => {
  expect(typed('a', '\u0003')).toEqual({ kind: 'text', text: '' })
  expect(typed('\u0003')).toEqual({ kind: 'interrupt' })
  expect(typed('a', '\u0004')).toEqual({ kind: 'text', text: 'a' })
  expect(typed('\u0004')).toEqual({ kind: 'leave' })
})

test('a pasted text is one line and is not sent; sequences of other keys are ignored', () => {
  expect(typed('one\ntwo\nthree\n')).toEqual({ kind: 'text', text: 'one two three ' })
  expect(typed('a', '\u001b[A', '\u001b')).toEqual({ kind: 'text', text: 'a' })
})
