/** All texts that a user reads are plain engineering English: phrases that can be matched without context. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { routes } from '../src/protocol/route.js'
import { clientMessages } from '../src/protocol/web-socket.js'
import { en } from '../web/src/i18n/en.js'
import { aProgram } from './support/program.js'

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

const documents = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

test.each(documents)('%s has none of the phrases to avoid', (name) => {
  const text = readFileSync(join(ROOT, name), 'utf8')
  expect(foundIn(withoutCode(text))).toEqual([])
})

test('a phrase is found across a line break and in any case, and not in code', () => {
  expect(foundIn(withoutCode('It can\nnot. Taken it back. `can not`\n```\nfor good\n```\n'))).toHaveLength(2)
})

test('the English texts of the dashboard have none of the phrases to avoid', () => {
  const found = Object.entries(en).flatMap(([key, text]) => foundIn(text).map((hit) => `${key}: ${hit}`))
  expect(found).toEqual([])
})

test('the help of every command has none of the phrases to avoid', () => {
  const helps = commandsOf(aProgram()).map((command) => [command.name(), command.helpInformation()] as const)
  expect(helps.length).toBeGreaterThan(50)
  expect(helps.flatMap(([name, help]) => foundIn(help).map((hit) => `${name}: ${hit}`))).toEqual([])
})

function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsOf)]
}

/** Comments are rewritten phrase by phrase: those that are gone stay gone. */
const GONE_FROM_COMMENTS =
  /\bcan not\b|\b(?:earlier|another) life\b|\bwhoever\b|\bput into bytes\b|\bdoes more than look\b/i

test('comments have none of the phrases that were removed from them', () => {
  const sources = ['src', 'web/src', 'bench', 'scripts'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ts|tsx|mjs)$/.test(name))
      .map((name) => join(folder, name)),
  )
  const found = sources.filter((name) =>
    Array.from(readFileSync(join(ROOT, name), 'utf8').matchAll(/\/\*[^]*?\*\/|\/\/.*/g), ([comment]) =>
      comment.replaceAll(/\s+\*?\s*/g, ' '),
    ).some((comment) => GONE_FROM_COMMENTS.test(comment)),
  )
  expect(sources.length).toBeGreaterThan(500)
  expect(found).toEqual([])
})

test('the summaries of routes and messages have none of the phrases to avoid', () => {
  const summaries = Object.entries({ ...routes, ...clientMessages })
  expect(summaries.length).toBeGreaterThan(50)
  const found = summaries.flatMap(([name, { summary }]) => foundIn(summary).map((hit) => `${name}: ${hit}`))
  expect(found).toEqual([])
})

test('the messages of errors have none of the phrases to avoid', () => {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join('src', name))
  const messages = sources.flatMap((name) =>
    errorMessagesIn(readFileSync(join(ROOT, name), 'utf8')).map((message) => [name, message] as const),
  )
  expect(messages.length).toBeGreaterThan(100)
  expect(messages.flatMap(([name, message]) => foundIn(message).map((hit) => `${name}: ${hit}`))).toEqual([])
})

test('the messages of errors are found in single-line and multi-line calls, without the code', () => {
  const source =
    "new HubError('a_b', 'One.')\nnew HubError(\n  'a_b',\n  `Two (${n}).`,\n  {},\n)\nnew Map('three four')"
  expect(errorMessagesIn(source)).toEqual(['One.', 'Two (${n}).'])
})

/** Literals in the first lines of `new HubError(` calls: enough to find the message without a parser. */
function errorMessagesIn(source: string): string[] {
  return [...source.matchAll(/new HubError\(\s*'\w+',\s*('(?:[^'\\\n]|\\.)*'|`[^`]*`)/g)].map(
    ([, literal = '']) => literal.slice(1, -1),
  )
}

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
