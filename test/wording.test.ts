/** All texts that a user reads are plain engineering English: phrases that can be matched without context. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { templates } from '../src/protocol/reason/template.js'
import { routes } from '../src/protocol/route.js'
import { clientMessages } from '../src/protocol/web-socket.js'
import { foundIn } from './support/phrase.js'
import { aProgram } from './support/program.js'
import { stringsIn } from './support/source-comment.js'
import { textsOf } from './support/texts.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

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

test('the English texts of the dashboard have none of the phrases to avoid', async () => {
  const found = Object.entries(await textsOf('en')).flatMap(([key, text]) =>
    foundIn(text).map((hit) => `${key}: ${hit}`),
  )
  expect(found).toEqual([])
})

test('the help of every command has none of the phrases to avoid', () => {
  const helps = commandsOf(aProgram()).map((command) => [command.name(), command.helpInformation()] as const)
  expect(helps.length).toBeGreaterThan(50)
  expect(helps.flatMap(([name, help]) => foundIn(help).map((hit) => `${name}: ${hit}`))).toEqual([])
})

/** Besides the phrases of all texts: a reason names the effect, or the part that cannot be checked. */
const VAGUE_REASONS: readonly (readonly [RegExp, string])[] = [
  [/\bdoes more than\b/, 'name the effect'],
  [/\bnot (?:understood|listed|certain)\b/, 'name the part, and what would help'],
  [/\bnot known (?:to be harmless|before)\b/, 'name the part, and what would help'],
  [/^It\b/, 'start with the effect'],
  [/\b(?:judged|a person|the person)\b/, 'checked, a user'],
]
const MAX_REASON = 120
/** A notice also says what to do. */
const MAX_NOTICE = 220
const lengthOf = (template: string) => template.replaceAll(/\{\w+\}/g, '').length

test('the texts of reasons name the effect in one short sentence', () => {
  const found = Object.entries(templates).flatMap(([code, text]) => [
    ...foundIn(text).map((hit) => `${code}: ${hit}`),
    ...VAGUE_REASONS.filter(([phrase]) => phrase.test(text)).map(([, better]) => `${code}: ${better}`),
    ...(lengthOf(text) > (code.startsWith('notice.') ? MAX_NOTICE : MAX_REASON) ? [`${code}: too long`] : []),
  ])
  expect(Object.keys(templates).length).toBeGreaterThan(300)
  expect(found).toEqual([])
})

function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsOf)]
}

test('the summaries of routes and messages have none of the phrases to avoid', () => {
  const summaries = Object.entries({ ...routes, ...clientMessages })
  expect(summaries.length).toBeGreaterThan(50)
  const found = summaries.flatMap(([name, { summary }]) => foundIn(summary).map((hit) => `${name}: ${hit}`))
  expect(found).toEqual([])
})

test('the strings of the sources have none of the phrases to avoid', () => {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(?:test|cases)\.ts$|-suite\.ts$/.test(name))
    .map((name) => join('src', name))
  const strings = sources.flatMap((name) =>
    stringsIn(readFileSync(join(ROOT, name), 'utf8')).map((text) => [name, text] as const),
  )
  expect(strings.length).toBeGreaterThan(3_000)
  expect(strings.flatMap(([name, text]) => foundIn(text).map((hit) => `${name}: ${hit}`))).toEqual([])
})

test('strings are found in single-line and multi-line calls, without code and comments', () => {
  const source =
    "new HubError('a_b', 'One two.') // 'Not this one.'\nf(\n  `Three four (${n + 'five six'}) seven eight.`,\n)"
  expect(stringsIn(source)).toEqual(["'One two.'", '`Three four (${', "'five six'", '}) seven eight.`'])
})

function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '`…`')
}
