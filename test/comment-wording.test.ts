/** Comments are plain engineering English: the actor is named, and problems have the names that readers search for. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { foundIn, PHRASES } from './support/phrase.js'
import { commentsIn } from './support/source-comment.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Besides those of all texts: in a comment these have a better word wherever they stand. */
const IN_COMMENTS: typeof PHRASES = [
  ...PHRASES,
  [/(?:^|\. )(?:What|Who|Whoever) (?![^.?]*\?)/, 'start with the thing'],
  [/\b(?:tells?|told)\b/, 'report, log, send, show'],
  [/\b(?:people|persons?)\b/, 'user'],
  [/\b(?:no one|anyone|everybody)\b/, 'no user, any client, every user'],
  [/\bearlier lives\b/, 'previous runs'],
]

const sources = ['src', 'web/src', 'bench', 'scripts', 'test'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|tsx|mjs)$/.test(name) && !name.includes('fixtures'))
    .map((name) => join(folder, name)),
)

test('comments have none of the phrases to avoid', () => {
  expect(sources.length).toBeGreaterThan(800)
  expect(sources.flatMap((name) => hitsIn(name, IN_COMMENTS))).toEqual([])
})

test('a comment is found whole, with its line, and not in a string, a template or a regular expression', () => {
  const source = [
    "const glob = 'src/**' // One.",
    '/**',
    ' * Two,',
    ' * still two.',
    ' */',
    'const url = `https://${host /* Three. */}/*`',
    'const expression = /[/*]"/.test(a) / b',
    '  // Four,',
    '  // still four.',
    "const quote = \"'\"; f({ a: `${{ b: '}' }.b}//` }) // Five.",
  ].join('\n')

  expect(commentsIn(source)).toEqual([
    { line: 1, text: 'One.' },
    { line: 2, text: 'Two, still two.' },
    { line: 6, text: 'Three.' },
    { line: 8, text: 'Four, still four.' },
    { line: 10, text: 'Five.' },
  ])
})

test('a headless start is found at the beginning of a sentence only, and not in a question', () => {
  const found = (text: string) => foundIn(text, IN_COMMENTS).length

  expect(['What runs.', 'A list. Who asks.', 'Shows what runs.', 'What runs here?'].map(found)).toEqual([
    1, 1, 0, 0,
  ])
})

function hitsIn(name: string, phrases: typeof PHRASES): string[] {
  return commentsIn(readFileSync(join(ROOT, name), 'utf8')).flatMap(({ line, text }) =>
    foundIn(text.replaceAll(/`[^`]*`/g, '`…`'), phrases).map((hit) => `${name}:${line} ${hit}`),
  )
}
