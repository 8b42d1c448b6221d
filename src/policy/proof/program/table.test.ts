/** The tables of programs: each listed option is accepted, and its unlisted neighbours in the alphabet are refused. */

import { describe, expect, test } from 'vitest'
import { createCallEnvironment } from '../../file/call-environment.js'
import { emptyFileSystem } from '../../file/file-system.js'
import { type Kind, type OptionTable, optionTable } from '../option.js'
import { prove } from '../prove.js'
import { GIT } from './git-table.js'
import { PLAIN, VERSIONED } from './plain-table.js'

const environment = createCallEnvironment({
  cwd: '/home/dev/project',
  home: '/home/dev',
  fs: emptyFileSystem,
})
const proves = (command: string) => prove(command, environment).isProven

const SAMPLES: Readonly<Record<Kind, string>> = {
  number: '3',
  word: 'a',
  text: "'a b'",
  said: 'a',
  look: 'src',
  read: 'a.txt',
  tree: 'src',
  script: 'p',
  revision: 'HEAD',
  pathspec: 'src',
  format: '%h',
  lines: '1,2:a.ts',
}

/** They accept no attached values, or were not compared with the real program. */
const APART = new Set(['tree', 'shasum', 'cal', 'lsblk'])

function commandsWith(program: string, table: OptionTable, operands: string): string[] {
  return [...table].flatMap(([name, { kind, isOptional }]) => {
    if (name === '-#') return [`${program} -5 ${operands}`]
    if (kind === null) return [`${program} ${name} ${operands}`]
    const value = SAMPLES[kind]
    const attached = name.startsWith('--') ? `${name}=${value}` : `${name}${value}`
    if (isOptional) return [`${program} ${name} ${operands}`, `${program} ${attached} ${operands}`]
    const apart = `${program} ${name} ${value} ${operands}`
    return name.startsWith('--') || !APART.has(program)
      ? [apart, `${program} ${attached} ${operands}`]
      : [apart]
  })
}

/** Options that no row lists, derived from listed ones. */
function neighbours(program: string, table: OptionTable, operands: string): string[] {
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
    .split('')
    .map((letter) => `-${letter}`)
  const short = letters.filter((name) => !table.has(name) && !(table.has('-#') && /\d/.test(name)))
  const long = [...table.keys()].filter((name) => name.startsWith('--')).map((name) => name.slice(0, -1))
  const cut = long.filter(
    (name) => name.length > 2 && !table.has(name) && name !== '--hel' && name !== '--versio',
  )
  const flags = [...table]
    .filter(([name, { kind }]) => name.startsWith('--') && kind === null)
    .map(([name]) => `${name}=x`)
  return [...short, ...cut, ...flags].map((name) => `${program} ${name} ${operands}`)
}

describe.each(Object.entries(PLAIN))('%s', (program, row) => {
  const table = optionTable(row.options)
  const operands = (row.operands ?? []).map((kind) => SAMPLES[kind]).join(' ')

  test('each listed option is accepted', () => {
    expect(commandsWith(program, table, operands).filter((command) => !proves(command))).toEqual([])
  })

  test('options beside them are refused', () => {
    const allowed = neighbours(program, table, operands).filter(proves)
    expect(allowed.filter((command) => !isVersion(command))).toEqual([])
  })

  test('files outside and protected ones are refused', () => {
    const kinds = [...(row.operands ?? []), ...(row.rest === undefined ? [] : [row.rest])]
    const reads = kinds.includes('read') || kinds.includes('tree')
    const files = reads
      ? ['../a', '/etc/passwd', '.env']
      : kinds.includes('look')
        ? ['../a', '/etc/passwd']
        : []
    expect(files.filter((file) => proves(`${program} ${file}`))).toEqual([])
  })
})

test.each([...APART])('%s: a value behind a letter, or in a cluster, is refused', (program) => {
  const rows = [...optionTable(PLAIN[program]?.options ?? '')]
  const letters = rows.filter(([name, { kind }]) => /^-[^-#]$/.test(name) && kind !== null)
  const joined = letters.flatMap(([name]) => [`${program} ${name}o x`, `${program} ${name}3o x`])
  expect(joined.filter(proves)).toEqual([])
  expect(letters.length).toBeGreaterThan(0)
})

function isVersion(command: string): boolean {
  const [program = '', option = ''] = command.trim().split(' ')
  return VERSIONED[option]?.has(program) === true
}

/** They need a repository whose settings are known: see git-config.test.ts. */
const LISTS = /^git config (?:-l|--list|--get-regexp) /

describe.each(Object.entries(GIT))('git %s', (name, row) => {
  const table = optionTable(row.options)
  const operands = name === 'grep' ? 'x' : name === 'config' ? 'user.name' : ''

  test('each listed option is accepted', () => {
    const commands = commandsWith(`git ${name}`, table, operands).filter((command) => !LISTS.test(command))
    expect(commands.filter((command) => !proves(command))).toEqual([])
  })

  test('options beside them are refused', () => {
    const first =
      operands === '' && row.operands !== undefined && row.needs === undefined
        ? SAMPLES[row.operands]
        : operands
    expect(neighbours(`git ${name}`, table, first).filter(proves)).toEqual([])
  })
})

test('programs that look for their version in the folder do not answer --version unasked', () => {
  const lookers =
    'rustc cargo mvn yarn pnpm bazel sbt go gradle dotnet bundle nx turbo lerna bun deno npx tsc'.split(' ')
  expect(lookers.filter((program) => proves(`${program} --version`))).toEqual([])
  expect([...(VERSIONED['--version'] ?? [])].filter((program) => !proves(`${program} --version`))).toEqual([])
})
