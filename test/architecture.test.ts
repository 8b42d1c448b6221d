/** The map of the house as data: who may import whom. A change here is a design decision with a page in docs/decisions/. */

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** A room is a folder or a file below `src`; what it may import besides itself. `store/port` is that file alone. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  protocol: ['lib/printable'],
  lib: [],
  version: [],
  scripted: [],
  audit: ['protocol', 'lib', 'store/sqlite-driver'],
  store: ['protocol', 'lib', 'audit/chain', 'audit/entry'],
  bus: ['protocol', 'lib'],
  config: ['protocol', 'hook/settings'],
  home: ['protocol', 'store/sqlite-driver'],
  subscriber: ['protocol', 'lib', 'store/port'],
  journal: ['protocol', 'lib', 'store/port', 'subscriber'],
  usage: ['protocol', 'lib', 'store/port'],
  policy: ['protocol', 'lib'],
  tool: ['protocol', 'lib'],
  hook: ['protocol', 'lib'],
  inbox: ['protocol', 'lib', 'store/port', 'journal'],
  lifecycle: ['protocol', 'lib', 'store/sqlite-driver', 'store/port', 'journal', 'usage/price'],
  session: ['protocol', 'lib', 'store/port', 'bus/port', 'journal', 'inbox', 'policy', 'tool', 'hook'],
  hub: [
    'protocol',
    'lib',
    'audit',
    'store/port',
    'bus/port',
    'journal',
    'inbox',
    'policy',
    'usage',
    'lifecycle/terminals',
    'tool',
  ],
  server: ['version', 'protocol', 'lib', 'audit', 'store/port', 'journal', 'hub', 'dialect'],
  client: ['protocol'],
  dialect: ['protocol', 'lib'],
  library: ['protocol', 'lib', 'tool', 'journal', 'hub', 'config', 'home', 'box'],
  compat: ['protocol', 'lib', 'dialect', 'tool', 'library'],
  index: ['protocol', 'policy', 'tool', 'lifecycle', 'library', 'compat', 'dialect'],
  box: [
    'protocol',
    'lib',
    'store',
    'audit',
    'bus',
    'config',
    'home',
    'journal',
    'policy',
    'inbox',
    'lifecycle',
    'session',
    'tool',
    'usage',
    'hub',
    'scripted',
  ],
  daemon: ['protocol', 'lib', 'config', 'home', 'version', 'box', 'server'],
  cli: [
    'protocol',
    'lib',
    'audit',
    'client',
    'config',
    'home',
    'version',
    'scripted',
    'policy',
    'lifecycle',
    'box',
    'daemon',
  ],
}

interface Import {
  file: string
  /** The room that the file is in. */
  from: string
  /** A path below `src` without its ending, or a package. */
  to: string
}

const imports = filesBelow(join(ROOT, 'src')).flatMap(readImports)

test('the scan sees the code', () => {
  expect(imports.length).toBeGreaterThan(200)
  expect(new Set(imports.map(({ from }) => from))).toEqual(new Set(Object.keys(MAY_IMPORT)))
})

describe('imports point one way', () => {
  test.each(Object.keys(MAY_IMPORT))('%s', (room) => {
    const allowed = [room, ...(MAY_IMPORT[room] ?? [])]
    const wrong = imports.filter(
      ({ from, to }) =>
        from === room && isOurs(to) && !allowed.some((name) => to === name || to.startsWith(`${name}/`)),
    )
    expect(wrong).toEqual([])
  })
})

test('protocol and client run in browsers: they import nothing of Node and no package but zod', () => {
  const wrong = imports.filter(
    ({ from, to }) => (from === 'protocol' || from === 'client') && !isOurs(to) && to !== 'zod',
  )
  expect(wrong).toEqual([])
})

test('the dashboard uses the client and the protocol, nothing else', () => {
  const used = filesBelow(join(ROOT, 'web/src'))
    .flatMap((file) =>
      specifiersOf(file).map((name) => (name.startsWith('.') ? join(dirname(file), name) : name)),
    )
    .map((name) => (name.startsWith('/') ? relative(ROOT, name) : name))
    .filter((name) => name.startsWith('src/'))
  expect(new Set(used)).toEqual(new Set(['src/client/index.js', 'src/protocol/index.js']))
})

test('one file drives the Agent SDK', () => {
  const drivers = imports.filter(({ to }) => to.startsWith('@anthropic-ai/')).map(({ file }) => file)
  // The second one only names its types.
  expect(new Set(drivers)).toEqual(new Set(['src/session/claude-driver.ts', 'src/session/sdk-options.ts']))
})

test('the environment, signals and the end of the process belong to the command line and to the library', () => {
  const reaching = filesBelow(join(ROOT, 'src'))
    .filter((file) => /\bprocess\.(env|exit|on|once|argv)\b/.test(readFileSync(file, 'utf8')))
    .map((file) => relative(ROOT, file))
    .filter((file) => !file.startsWith('src/cli/'))
  expect(reaching).toEqual(['src/library/signalbox.ts'])
})

function isOurs(target: string): boolean {
  return Object.keys(MAY_IMPORT).some((room) => target === room || target.startsWith(`${room}/`))
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|-suite\.ts$/.test(name))
    .map((name) => join(folder, name))
}

function readImports(path: string): Import[] {
  const file = relative(ROOT, path)
  const from =
    file
      .replace(/^src\//, '')
      .split('/')[0]
      ?.replace(/\.ts$/, '') ?? ''
  return specifiersOf(path).map((name) => {
    const target = name.startsWith('.') ? relative(join(ROOT, 'src'), join(dirname(path), name)) : name
    return { file, from, to: target.replace(/\.js$/, '') }
  })
}

function specifiersOf(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '')
}
