/** Every regular expression of the product takes linear time: texts of agents, tools, repositories and clients reach them. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseAst } from 'rolldown/parseAst'
import { describe, expect, test, vi } from 'vitest'
import { findSlowness } from './support/regex-structure.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

interface Found {
  file: string
  source: string
  flags: string
}

const literals: Found[] = []
const constructed = new Set<string>()
for (const root of ['src', 'web/src'])
  for (const name of readdirSync(join(ROOT, root), { recursive: true, encoding: 'utf8' }))
    if (/\.tsx?$/.test(name) && !/\.test\.tsx?$|-suite\.ts$/.test(name)) collect(`${root}/${name}`)

function collect(file: string): void {
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, regex, callee } = node as {
      type?: string
      regex?: { pattern: string; flags: string }
      callee?: { name?: string }
    }
    if (type === 'Literal' && regex) literals.push({ file, source: regex.pattern, flags: regex.flags })
    if ((type === 'NewExpression' || type === 'CallExpression') && callee?.name === 'RegExp')
      constructed.add(file)
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseAst(readFileSync(join(ROOT, file), 'utf8'), { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file))
}

const slow = (found: readonly Found[]) =>
  found.flatMap(({ file, source, flags }) => {
    const why = findSlowness(source, flags)
    return why === null ? [] : [`${file}: /${source}/${flags} ${why}`]
  })

test('the scan sees the code', () => {
  expect(literals.length).toBeGreaterThan(300)
})

test('no literal can go back over the same text again and again', () => {
  expect(slow(literals)).toEqual([])
})

/** Made of constants, when the file is loaded. */
const OF_CONSTANTS = [
  'src/lib/redact/secret-pattern.ts',
  'src/policy/program/language/pager.ts',
  'src/policy/file/spelling.ts',
  'src/policy/program/system/clock.ts',
  'src/protocol/id.ts',
  'web/src/tool/ansi.ts',
]
/** Made while the product runs, each with the reason why it may be. */
const OF_VALUES: Readonly<Record<string, string>> = {
  'src/hook/matcher.ts': 'written by who owns the home, and compared with names of tools',
  'src/scripted/pattern.ts': 'written by who wrote the script',
  'web/src/session/transcript/highlight.ts': 'words of the user, with every special character escaped',
  'web/src/search/word.tsx': 'words without anything that could be repeated',
}

test('what is made at run time is known', () => {
  const known = [...OF_CONSTANTS, ...Object.keys(OF_VALUES)].toSorted()
  expect([...constructed].toSorted()).toEqual(known)
})

test.each(OF_CONSTANTS)('those that are made of constants in %s are linear, too', async (file) => {
  const made: Found[] = []
  vi.resetModules()
  vi.stubGlobal(
    'RegExp',
    new Proxy(RegExp, {
      construct(target, [source, flags = '']: [string, string?]) {
        made.push({ file, source, flags })
        return new target(source, flags)
      },
    }),
  )
  try {
    await import(pathToFileURL(join(ROOT, file)).href)
  } finally {
    vi.unstubAllGlobals()
  }
  expect(made.length).toBeGreaterThan(0)
  expect(slow(made)).toEqual([])
})

describe('the check itself', () => {
  test.each([
    ['(a+)+b', ''],
    ['(a|a)*b', ''],
    ['(a*)*b', ''],
    ['(?:a|b|ab)*c', ''],
    ['^(?:\\w+\\s?)*$', ''],
    ['\\s+$', ''],
    ['a*a*b', ''],
    ['^a*[ab]*c', ''],
    ['^\\s*x?\\s*y', ''],
    ['(?:-u|--user)[\\s=]+[^\\s:]+:', ''],
    ['-u[\\s=]+[^\\s:]+:', ''],
    ['eyJ[\\w-]{10,}\\.[\\w-]{10,}', 'g'],
    ['<a>[^]*?</a>', 'g'],
    ['(["\']).*\\1', ''],
    ['(?=.*x)y', ''],
    ['a(?:[ab]+c)?', 'g'],
    ['x{0,5000}y', ''],
    ['.*,.*,', ''],
  ])('refuses /%s/%s', (source, flags) => {
    expect(findSlowness(source, flags)).not.toBeNull()
  })

  test.each([
    ['\\s+', 'g'],
    ['^\\s+', ''],
    ['(?:ab)+', 'g'],
    ['^(\\w+): (.*)', 's'],
    ['^[a-z]+-\\d+$', ''],
    ['[^a-z0-9_]+', 'gu'],
    ['"[^"]*"|[^\\s"]+', 'g'],
    ['^(?:[^"\\\\]|\\\\.)*"', ''],
    ['-u[\\s=]{1,40}[^\\s:=][^\\s:]{0,199}:', 'g'],
    ['\\p{Lu}+', 'gu'],
    ['"[^"]*"x', ''],
  ])('accepts /%s/%s', (source, flags) => {
    expect(findSlowness(source, flags)).toBeNull()
  })
})
