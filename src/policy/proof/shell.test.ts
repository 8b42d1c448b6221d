/**
 * Compares the grammar with real bash: it reads the words that bash passes on, and nothing runs that the proof has not
 * seen.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCEPTED } from '../../../test/support/proof-sample.js'
import { createCallEnvironment } from '../file/call-environment.js'
import { nodeFileSystem } from '../file/node-file-system.js'
import { expand, type Pattern, patternOf } from './glob.js'
import { prove } from './prove.js'
import { Budget, Unproven } from './unproven.js'

const hasBash = spawnSync('bash', ['-c', 'true']).status === 0
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'proof-'))
  mkdirSync(join(folder, 'src'))
  for (const name of ['a.txt', 'b.txt', 'a.ts', 'src/a.ts', 'src/b.ts', 'a.json', 'package.json'])
    writeFileSync(join(folder, name), '{"name": "a", "scripts": {}}\n')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function worldHere() {
  return createCallEnvironment({
    cwd: folder,
    home: '/nonexistent',
    fs: nodeFileSystem(),
  })
}

/** The arguments as the proof reads them; null if it refuses the text. */
function wordsOf(command: string): string[][] | null {
  const seen: string[][] = []
  const covers = ([program, ...words]: readonly string[]) => program === 'argv' && seen.push(words) > 0
  return prove(command, worldHere(), { covers }).isProven ? seen : null
}

const piece = fc.oneof(
  fc.constantFrom('a', 'b', '.', '/', '-', '=', ':', ',', '%', '@', '^', '~', '+', '_', '0', '1', 'ä'),
  fc.constantFrom(
    "'",
    '"',
    '\\',
    '$',
    '`',
    '!',
    '#',
    '*',
    '?',
    '[',
    ']',
    '{',
    '}',
    '(',
    ')',
    '&',
    ';',
    ' ',
    '\t',
  ),
  fc.constantFrom(
    "'a b'",
    "'$x'",
    '"a b"',
    '"\\$"',
    '"\\\\"',
    '"\\n"',
    '"a$"',
    '"$F"',
    '$F',
    '${F}',
    '\\ ',
    '\\;',
    '\\$',
    '\\\\',
  ),
  fc.constantFrom("$'\\t'", "$'a\\'b'", '{a,b}', '{a,b}{c,d}', '{1..3}', '{3..1}', '{}', '{a}', '{,x}'),
)
const word = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(''))
const line = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => `argv ${words.join(' ')}`)

/** They name the same file. Bash removes some of them when it expands a pattern, and keeps others. */
const withoutDoubleSlashes = (path: string) => path.replaceAll(/\/+/g, '/')

describe.runIf(hasBash)('beside real bash', () => {
  test('the words of an accepted text are those that bash passes on', () => {
    const lines = fc.sample(line, 6_000)
    const read = [...new Set(lines)].flatMap((text) => {
      const words = wordsOf(`F=va.l; ${text}`)
      return words === null ? [] : [{ text, words }]
    })
    const script = [
      'argv() { [ $# -eq 0 ] || printf "%s\\0" "$@"; }',
      'F=va.l',
      ...read.map(({ text }) => `${text}\nprintf '\\1\\0'`),
    ].join('\n')
    const { stdout } = spawnSync('bash', ['--norc', '-c', script], {
      cwd: folder,
      env: { ...process.env, HOME: worldHere().home },
      encoding: 'utf8',
    })
    const passed = stdout.split('\u0001\0').map((part) => part.split('\0').slice(0, -1))

    expect(read.length).toBeGreaterThan(500)
    const wrong = read.flatMap(({ text, words }, index) =>
      JSON.stringify(words) === JSON.stringify([passed[index]]) ? [] : [{ text, words, bash: passed[index] }],
    )
    expect(wrong).toEqual([])
  })

  test('a glob fits at least what bash says that it fits', () => {
    const part = fc.constantFrom(
      'a',
      'b',
      's',
      '.',
      '*',
      '?',
      '/',
      'ts',
      'txt',
      'json',
      '[ab]',
      '[!b]',
      '[a-c]',
      'src/',
    )
    const globs = fc.sample(
      fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
      400,
    )
    const script = [
      'shopt -s nullglob',
      ...globs.map((glob) => `printf '%s\\0' ${glob}; printf '\\1\\0'`),
    ].join('\n')
    const { stdout } = spawnSync('bash', ['--norc', '-c', script], {
      cwd: folder,
      encoding: 'utf8',
    })
    const fitting = stdout.split('\u0001\0').map((text) => text.split('\0').filter((name) => name !== ''))

    /** Null if the proof gives up: then nothing is proven with it. */
    const expanded = (pattern: Pattern) => {
      try {
        return new Set(expand(pattern, folder, nodeFileSystem(), new Budget()).map(withoutDoubleSlashes))
      } catch (error) {
        if (error instanceof Unproven) return null
        throw error
      }
    }

    const missed = globs.filter((glob, index) => {
      const pattern = patternOf(glob)
      if (pattern === null) return true
      const found = expanded(pattern)
      // A pattern without a star expands to itself; a trailing slash behind a file matches nothing.
      return fitting[index]?.some((name) => found && !found.has(withoutDoubleSlashes(name)))
    })
    expect(missed).toEqual([])
  })

  const PAYLOADS = [
    '$(touch pwned)',
    '`touch pwned`',
    '<(touch pwned)',
    '>(touch pwned)',
    '${x[$(touch pwned)]}',
    '$((x[$(touch pwned)]))',
    '\ntouch pwned\n',
    ';touch pwned;',
    '|touch pwned|',
    '&touch pwned&',
    '>pwned ',
    " > 'pwned' ",
    '"$(touch pwned)"',
  ]

  test('a command put in at any place is never proven, unless bash does not run it', () => {
    const samples = Object.values(ACCEPTED).flat()
    const proven = new Set<string>()
    for (const sample of samples) {
      for (let at = 0; at <= sample.length; at++) {
        for (let turn = 0; turn < 3; turn++) {
          const payload = PAYLOADS[(at * 3 + turn) % PAYLOADS.length] ?? ''
          const text = `${sample.slice(0, at)}${payload}${sample.slice(at)}`
          if (prove(text, worldHere()).isProven) proven.add(text)
        }
      }
    }
    // Proven payloads are only text for the shell: in quotes, in comments and in here-documents.
    const seen = [...proven].filter((_, index) => index % Math.ceil(proven.size / 100) === 0)
    const harmed = seen.filter((text) => {
      spawnSync('bash', ['--norc', '-c', text], {
        cwd: folder,
        timeout: 5_000,
        input: '',
        env: { PATH: process.env['PATH'] ?? '' },
      })
      const isHarmed = existsSync(join(folder, 'pwned')) || existsSync(join(folder, 'src/pwned'))
      for (const name of ['pwned', 'src/pwned']) rmSync(join(folder, name), { force: true })
      return isHarmed
    })
    expect(proven.size).toBeGreaterThan(50)
    expect(harmed).toEqual([])
  })
})
