import { expect, test } from 'vitest'
import { markdownText } from './markdown.js'
import { renderStyles } from './style.js'

const shown = (text: string, width = 40) => renderStyles(markdownText(text, width), false)

test('marks of Markdown are not shown', () => {
  expect(shown('# Title\n\nSome **bold**, *soft* and `code`.\n\n- one\n- [x] two\n> said')).toBe(
    'Title\n\nSome bold, soft and code.\n\n• one\n• ☑ two\n│ said',
  )
})

test('bold, headings and code have styles', () => {
  expect(renderStyles(markdownText('**a** `b`', 40), true)).toBe('\u001b[1ma\u001b[22m \u001b[36mb\u001b[39m')
})

test('stars and underscores in code and names stay', () => {
  expect(shown('`**a**` 2 * 3 * 4 snake_case_name **')).toBe('**a** 2 * 3 * 4 snake_case_name **')
})

test('code is indented and not wrapped', () => {
  const line = 'const a = 1; '.repeat(5).trimEnd()
  expect(shown(`\`\`\`ts\n${line}\n\`\`\`\nafter`)).toBe(`    ${line}\nafter`)
})

test('a fence that is never closed ends with the text', () => {
  expect(shown('```\nopen')).toBe('    open')
})

test('tables are laid out in the width of the terminal', () => {
  expect(shown('| a | b |\n|---|:-:|\n| **one** | two words |\n', 12)).toBe('a    b\none  two\n     words')
})

test('links show where they lead, and text is wrapped', () => {
  expect(shown('See [the docs](https://a.b/c) for more', 20)).toBe('See the docs\n(https://a.b/c) for\nmore')
})

test('control characters are made visible, and a pipe gets the text as it is', () => {
  expect(shown('a\u001b[2K')).toBe('a␛[2K')
  expect(markdownText('**a**', null)).toBe('**a**')
})
