import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { type ColoredLine, markLine, splitLines } from './colored-line.js'
import { type ColorReply, type ColorTask, Highlighter } from './highlighter.js'
import { LANGUAGES, type Language, languageNamed, languageOfFile } from './language.js'
import { createTokenizer } from './tokenize.js'

const textOf = (line: ColoredLine) => line.map(({ text }) => text).join('')

test.each<[string, Language, Record<string, string>]>([
  ["const sum = 'a' // b", 'typescript', { const: 'keyword', "'a'": 'string', '// b': 'comment' }],
  ['def add(a):\n  return 12', 'python', { def: 'keyword', add: 'title', 12: 'number' }],
  ['{ "name": true }', 'json', { '"name"': 'attribute', true: 'keyword' }],
  ['<p class="x">hi</p>', 'xml', { p: 'keyword', class: 'attribute', '"x"': 'string' }],
])('%s has the colours of %s', async (code, language, expected) => {
  const lines = await createTokenizer()(code, language)

  const found = Object.fromEntries(lines.flat().map(({ text, kind }) => [text.trim(), kind]))
  expect(found).toMatchObject(expected)
})

test('every language colours code without changing it', async () => {
  const tokenize = createTokenizer()
  const piece = fc.constantFrom(
    '"',
    "'",
    '`',
    '/*',
    '*/',
    '//',
    '#',
    '<a b="c">',
    '</a>',
    '{',
    '}',
    '\n',
    ' ',
    '가',
    '𝄞',
    'if',
    '12',
    '<<EOF',
    '\\',
  )
  for (const language of LANGUAGES)
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
        const code = pieces.join('')
        expect((await tokenize(code, language)).map(textOf).join('\n')).toBe(code)
      }),
      { numRuns: 20 },
    )
})

test('tokens over several lines keep their colour on each line', () => {
  expect(
    splitLines([
      { text: 'a', kind: null },
      { text: '/* b\n\nc */', kind: 'comment' },
    ]),
  ).toEqual([
    [
      { text: 'a', kind: null },
      { text: '/* b', kind: 'comment' },
    ],
    [],
    [{ text: 'c */', kind: 'comment' }],
  ])
})

test('marks begin and end anywhere, and change no text', () => {
  const line: ColoredLine = [
    { text: 'const ', kind: 'keyword' },
    { text: 'total', kind: null },
  ]

  expect(markLine(line, [{ start: 3, end: 8 }])).toEqual([
    { text: 'con', kind: 'keyword' },
    { text: 'st ', kind: 'keyword', isMarked: true },
    { text: 'to', kind: null, isMarked: true },
    { text: 'tal', kind: null },
  ])
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 6 }), fc.nat(20), fc.nat(20), (texts, start, length) => {
      const parts = texts.map((text) => ({ text, kind: null }))
      const marked = markLine(parts, [{ start, end: start + length }])
      expect(textOf(marked)).toBe(texts.join(''))
      expect(textOf(marked.filter(({ isMarked }) => isMarked))).toBe(
        texts.join('').slice(start, start + length),
      )
    }),
  )
})

test.each([
  ['src/app.TSX', 'typescript'],
  ['Makefile', 'makefile'],
  ['/a.b/Dockerfile.dev', 'dockerfile'],
  ['notes', null],
  ['constructor', null],
  ['archive.unknown', null],
])('the language of the file %s is %s', (path, language) => {
  expect(languageOfFile(path)).toBe(language)
})

test.each([
  ['ts title="x"', 'typescript'],
  ['C++', 'cpp'],
  ['html', 'xml'],
  ['toString', null],
  [undefined, null],
])('Markdown names %s: %s', (info, language) => {
  expect(languageNamed(info)).toBe(language)
})

test('a text that takes too long stays plain, and the next one gets a new worker', async () => {
  vi.useFakeTimers()
  const workers: { tasks: ColorTask[]; isClosed: boolean; reply(reply: ColorReply): void }[] = []
  const highlighter = new Highlighter((reply) => {
    const worker = { tasks: [] as ColorTask[], isClosed: false, reply }
    workers.push(worker)
    return {
      send: (task) => void worker.tasks.push(task),
      close: () => {
        worker.isClosed = true
      },
    }
  }, 1_000)
  const slow = highlighter.color('slow', 'json')
  const older = highlighter.color('older', 'json')
  const newer = highlighter.color('newer', 'json')

  vi.advanceTimersByTime(1_000)
  expect(await slow).toBeNull()
  expect(workers.map(({ isClosed, tasks }) => [isClosed, tasks.map(({ code }) => code)])).toEqual([
    [true, ['slow']],
    [false, ['newer']],
  ])
  const lines: ColoredLine[] = [[{ text: 'newer', kind: 'string' }]]
  workers[1]?.reply({ id: 99, lines: null })
  workers[1]?.reply({ id: workers[1].tasks[0]?.id ?? 0, lines })
  expect(await newer).toBe(lines)
  workers[1]?.reply({ id: workers[1].tasks[1]?.id ?? 0, lines: null })
  expect(await older).toBeNull()
  expect(await highlighter.color('newer', 'json')).toBe(lines)
  expect(await highlighter.color('slow', 'json')).toBeNull()
  expect(await highlighter.color('x'.repeat(200_000), 'json')).toBeNull()
  expect(workers.flatMap(({ tasks }) => tasks)).toHaveLength(3)
  vi.useRealTimers()
})
