/** Documents say what the code says. `npm run docs` writes those that are made from it. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ParseError, parse } from 'jsonc-parser'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Config } from '../src/config.js'
import { WorkspaceFile } from '../src/policy/source/workspace-file.js'
import { errorCodes } from '../src/protocol/error.js'
import { readScript, Script } from '../src/scripted/script.js'
import { cliDocument } from './support/cli-document.js'
import { endpointTable } from './support/endpoint-table.js'
import { aProgram } from './support/program.js'
import { protocolDocument } from './support/protocol-document.js'
import { roleDocument } from './support/role-document.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')

const documents = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

test('docs/protocol.md lists every event, delta, route and option as they are', () => {
  const written = protocolDocument()
  if (process.env['WRITE_DOCS']) writeFileSync(join(ROOT, 'docs/protocol.md'), written)
  expect(read('docs/protocol.md')).toBe(written)
})

test('docs/roles.md lists the role of every route and field as they are', () => {
  const written = roleDocument()
  if (process.env['WRITE_DOCS']) writeFileSync(join(ROOT, 'docs/roles.md'), written)
  expect(read('docs/roles.md')).toBe(written)
})

test('docs/cli.md lists every command and option as they are', () => {
  const written = cliDocument(aProgram())
  if (process.env['WRITE_DOCS']) writeFileSync(join(ROOT, 'docs/cli.md'), written)
  expect(read('docs/cli.md')).toBe(written)
})

test('docs/library.md names everything that programs import', () => {
  const text = read('docs/library.md')
  const exported = ['index', 'client/index', 'scripted/index'].flatMap((name) =>
    [...read(`src/${name}.ts`).matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
      names
        .split(',')
        .map((part) => part.trim().replace(/^type /, ''))
        .filter((part) => part !== ''),
    ),
  )
  expect(exported.length).toBeGreaterThan(30)
  expect(exported.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([])
})

test('docs/configuration.md has every setting, with its variable and default, and no other', () => {
  const text = read('docs/configuration.md')
  const rows = [...text.matchAll(/^\| `(\w+)` \| (?:`(SIGNALBOX_\w+)`)? ?\| (?:`(.*?)`)? ?\| \S/gm)].map(
    ([, name, variable, value]) => [name, variable, value === undefined ? undefined : JSON.parse(value)],
  )
  const defaults: Record<string, unknown> = Config.parse({})
  const variableOf = (name: string) =>
    `SIGNALBOX_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
  // Objects and paths do not fit into a variable.
  const expected = Object.keys(Config.shape).map((name) => [
    name,
    [
      'defaults',
      'mcpServers',
      'agents',
      'agentLimits',
      'tools',
      'snapshots',
      'transcripts',
      'worktrees',
      'hooks',
      'telemetry',
      'notifications',
      'users',
      'channels',
    ].includes(name)
      ? undefined
      : variableOf(name),
    defaults[name],
  ])
  expect(rows).toEqual(expected)
})

test('the examples of settings in docs/configuration.md can be used', () => {
  const examples = [...read('docs/configuration.md').matchAll(/```jsonc\n([\s\S]*?)```/g)].map(
    (match) => match[1] ?? '',
  )
  expect(examples).toHaveLength(5)
  for (const example of examples) {
    const errors: ParseError[] = []
    const schema = example.startsWith('// .signalbox.jsonc') ? WorkspaceFile : Config
    expect(schema.safeParse(parse(example, errors, { allowTrailingComma: true })).error).toBeUndefined()
    expect(errors).toEqual([])
  }
})

test('the client knows every route as it is', () => {
  const written = endpointTable()
  if (process.env['WRITE_DOCS']) writeFileSync(join(ROOT, 'src/client/endpoint.ts'), written)
  expect(read('src/client/endpoint.ts')).toBe(written)
})

test('docs/errors.md has the cause and fix of every error code, and of no other', () => {
  const explained = [...read('docs/errors.md').matchAll(/^### `(\w+)`$/gm)].map((match) => match[1])
  expect(new Set(explained)).toEqual(new Set(errorCodes))
  expect(explained).toHaveLength(errorCodes.length)
})

test('docs/scripted-model.md has an example that works, and every key of a script', () => {
  const text = read('docs/scripted-model.md')
  const example = /```yaml\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
  expect(() => readScript(example)).not.toThrow()
  const keys = new Set<string>()
  const collect = (schema: unknown): void => {
    const { properties = {}, items, anyOf = [] } = schema as Schema
    for (const [key, value] of Object.entries(properties)) {
      keys.add(key)
      collect(value)
    }
    for (const one of [...anyOf, ...(items ? [items] : [])]) collect(one)
  }
  collect(z.toJSONSchema(Script, { io: 'input' }))
  expect([...keys].filter((key) => !text.includes(key))).toEqual([])
  expect(keys.size).toBeGreaterThan(20)
})

interface Schema {
  properties?: Record<string, unknown>
  items?: unknown
  anyOf?: unknown[]
}

test('every decision has a number of its own, which its title repeats', () => {
  const names = readdirSync(join(ROOT, 'docs/decisions')).toSorted()
  const numbers = names.map((name) => Number(name.slice(0, 4)))
  expect(numbers).toEqual(names.map((_, index) => index + 1))
  const titles = names.map((name) => Number(/^# (\d+)\. /.exec(read(`docs/decisions/${name}`))?.[1]))
  expect(titles).toEqual(numbers)
})

test.each(documents)('%s: its links lead somewhere', (name) => {
  const targets = [...read(name).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1] ?? '')
  expect(targets.filter((target) => !existsSync(join(ROOT, dirname(name), target)))).toEqual([])
})

test.each(documents)('%s: the sections that it links to exist', (name) => {
  const targets = [...read(name).matchAll(/\]\((?!https?:)([^)#]*\.md)?#([^)]+)\)/g)]
  const missing = targets.filter(
    ([, file, anchor = '']) => !anchorsOf(file ? join(dirname(name), file) : name).includes(anchor),
  )
  expect(missing.map(([link]) => link)).toEqual([])
})

/** As GitHub makes them from headings. */
function anchorsOf(name: string): string[] {
  return [...read(name).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('docs/dependencies.md has a reason for every dependency', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
    string,
    Record<string, string>
  >
  const text = read('docs/dependencies.md')
  const names = Object.keys({ ...dependencies, ...devDependencies })
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([])
})

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('every file that %s names exists', (document) => {
  const named = [...read(document).matchAll(/`((?:src|web|test|scripts)\/[\w/.-]+\.(?:tsx?|mjs))`/g)].map(
    (match) => match[1] ?? '',
  )
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !existsSync(join(ROOT, name)))).toEqual([])
})

const TRADE_WORDS =
  'user client timeout crash kill revoke cancel redact rotate symlink fsync backpressure coalesce debounce race idempotent deduplicate orphan default batch retry lease'

test.each(TRADE_WORDS.split(' '))('a search for "%s" finds the files that docs/concepts.md names', (word) => {
  const row =
    read('docs/concepts.md')
      .split('\n')
      .find((line) => line.startsWith(`| **${word}**`)) ?? ''
  const [, words = '', , places = ''] = row.split('|')
  const stems = [...words.matchAll(/\*\*(\w+)/g)].map(([, found = '']) => found.replace(/[ey]$/, ''))
  const stem = new RegExp(stems.join('|') || 'none', 'i')
  const named = [...places.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  expect(named).not.toEqual([])
  const path = (name: string) => (name.startsWith('web/') ? name : join('src', name))
  expect(named.filter((name) => !stem.test(name.endsWith('/') ? name : read(path(name))))).toEqual([])
})

test('every file that docs/concepts.md names exists', () => {
  const cells = [...read('docs/concepts.md').matchAll(/^\| .* \| ((?:`[\w/.-]+`(?:, )?)+) \|$/gm)]
  const named = cells.flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '))
  expect(named.length).toBeGreaterThan(60)
  expect(named.filter((name) => !existsSync(join(ROOT, name.startsWith('web/') ? '' : 'src', name)))).toEqual(
    [],
  )
})
