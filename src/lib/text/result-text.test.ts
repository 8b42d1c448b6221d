import { expect, test } from 'vitest'
import { textOfResult } from './result-text.js'

test.each([
  ['text', 'done', 'done'],
  [
    'blocks of text',
    [{ type: 'text', text: 'one' }, { type: 'image' }, { type: 'text', text: 'two' }],
    'one\ntwo',
  ],
  ['the output of a shell', { stdout: 'again', stderr: '' }, 'again'],
  ['data without text', { type: 'create', filePath: '/a' }, null],
  ['nothing', undefined, null],
])('the text of %s', (_, result, text) => {
  expect(textOfResult(result)).toBe(text)
})
