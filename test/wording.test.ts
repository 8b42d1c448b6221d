/** Documents and texts of the dashboard use plain engineering English: phrases that can be matched without context. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { en } from '../web/src/i18n/en.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Each phrase with the words to use instead. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bcan not\b/, 'cannot'],
  [/\b(?:an )?(?:earlier|another) life\b/, 'a previous run'],
  [/\bdoes more than look\b/, 'name the effect'],
  [/\b(?:take|takes|taken|took|taking)(?: \w+){0,3} back\b/, 'revoke, cancel or undo'],
  [/\bset(?:s|ting)?(?: \w+){0,3} aside\b/, 'rotate, or move'],
  [/\bput into bytes\b/, 'serialise'],
  [/\bwhoever\b/, 'the user, the client'],
  [/\b(?:nobody|somebody|anybody)\b/, 'no user, another user, any client'],
  [/\bfor good\b/, 'permanently'],
  [/\bmend(?:s|ed|ing)?\b/, 'fix'],
  [/\bcure[sd]?\b/, 'fix'],
  [/\b(?:is|are|was|were) told\b/, 'gets, or name what is logged, sent or reported'],
  [/\btold apart\b/, 'distinguished'],
  [/\bof (?:a|the) person\b/, 'of a user'],
  [/\bwhat people see\b/, 'the view'],
  [/\bas it was written\b/, 'unchanged'],
  [/\b(?:so much|so many)\b/, 'name the limit'],
  [/\b(?:goes|go|going|went|gone) on with\b/, 'resume, continue'],
  [/\b(?:take|takes|taken|took) up\b/, 'resume'],
  [/\bby (?:itself|themselves)\b/, 'automatically'],
  [/\b(?:is|are) asked about\b/, 'name who asks'],
  [/\b(?:that|which) holds?\b/, 'in force, effective'],
  [/\blike the system\b/, 'System'],
  [/\bas usual\b/, 'by default'],
  [/\bhow-manieth\b/, 'the number of'],
  [/\bclosed as installed\b/, 'secure by default'],
  [/\bfrom elsewhere\b/, 'remote'],
]

/** Not rewritten yet. */
const EXCEPTIONS: readonly string[] = ['CHANGELOG.md', 'SECURITY.md', 'docs/policy.md', 'docs/decisions/']

/** Generated from help texts and summaries in `src/`, of which this test checks only the frame. */
const FRAMES: Readonly<Record<string, (text: string) => string>> = {
  'docs/cli.md': (text) => text.slice(0, text.indexOf('\n## ')),
  'docs/protocol.md': (text) => text.replaceAll(/^\|.*$/gm, ''),
  'docs/roles.md': (text) => text.replaceAll(/^\|.*$/gm, ''),
}

const documents = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
].filter((name) => !EXCEPTIONS.some((exception) => name.startsWith(exception)))

test.each(documents)('%s has none of the phrases to avoid', (name) => {
  const text = readFileSync(join(ROOT, name), 'utf8')
  expect(foundIn(withoutCode(FRAMES[name]?.(text) ?? text))).toEqual([])
})

test('the exceptions exist', () => {
  const files = [...EXCEPTIONS, ...Object.keys(FRAMES)]
  expect(files.filter((name) => !existsSync(join(ROOT, name)))).toEqual([])
})

test('a phrase is found across a line break and in any case, and not in code', () => {
  expect(foundIn(withoutCode('It can\nnot. Taken it back. `can not`\n```\nfor good\n```\n'))).toHaveLength(2)
})

test('the English texts of the dashboard have none of the phrases to avoid', () => {
  const found = Object.entries(en).flatMap(([key, text]) => foundIn(text).map((hit) => `${key}: ${hit}`))
  expect(found).toEqual([])
})

function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '`…`')
}

/** Line breaks become spaces, so that a phrase is found across them. */
function foundIn(text: string): string[] {
  const flat = text.replaceAll(/\s+/g, ' ')
  return PHRASES.flatMap(([phrase, better]) =>
    [...flat.matchAll(new RegExp(phrase, 'gi'))].map(
      ({ index, 0: hit }) => `“${flat.slice(Math.max(0, index - 30), index + hit.length + 20)}”: ${better}`,
    ),
  )
}
