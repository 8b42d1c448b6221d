/** Every language has every key, with the same placeholders. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { textsOf } from '../../../test/support/texts.js'
import type { Dictionary } from './dictionary.js'
import { LOAD_CORE, LOAD_VIEWS } from './load-texts.js'

const [en, ko, ja] = await Promise.all([textsOf('en'), textsOf('ko'), textsOf('ja')])

const languages: [string, Dictionary][] = [
  ['ko', ko],
  ['ja', ja],
]
const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted().join(' ')

test.each(languages)('%s has the keys and placeholders of English', (_, texts) => {
  expect(Object.keys(texts)).toEqual(Object.keys(en))
  const wrong = Object.entries(en).filter(([key, text]) => {
    const other = texts[key as keyof Dictionary]
    return other.trim() === '' || placeholders(other) !== placeholders(text)
  })
  expect(wrong).toEqual([])
})

test.each(languages)('%s has no untranslated texts', (_, texts) => {
  const same = Object.entries(en)
    .filter(
      ([key, text]) =>
        texts[key as keyof Dictionary] === text && /[a-z]{3}/i.test(text.replaceAll(/\{\w+\}/g, '')),
    )
    .map(([key]) => key)
  expect(same).toEqual([])
})

test('counted texts have both plural forms', () => {
  const keys = Object.keys(en)
  const missing = keys.filter((key) => key.endsWith('.one') && !keys.includes(key.replace(/one$/, 'other')))
  expect(missing).toEqual([])
})

test('what is loaded at once uses no text of views, and views are loaded with their texts', async () => {
  const core = Object.keys((await LOAD_CORE.en()).core)
  const views = Object.keys(await LOAD_VIEWS.en())
  expect(views.filter((key) => core.includes(key))).toEqual([])
  const first = filesImportedBy('main.tsx')
  expect(first).toContain('session/list/row.tsx')
  const early = first.flatMap((name) => {
    const code = readFileSync(join(ROOT, name), 'utf8')
    const starts = [...code.matchAll(/`([\w.]+\.)\$\{/g)].map(([, start = '']) => start)
    const used = views.filter(
      (key) =>
        code.includes(`'${key.replace(/\.(?:one|other)$/, '')}'`) ||
        starts.some((start) => key.startsWith(start)),
    )
    return [
      ...used.map((key) => `${name}: ${key}`),
      // Markdown and the bodies of calls are parts of views.
      ...(/\blazy\(/.test(code) && !/lazy-view|rich-text/.test(name) ? [`${name}: lazy`] : []),
    ]
  })
  expect(early).toEqual([])
})

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The files of the page that are loaded with one, not on demand. */
function filesImportedBy(name: string, known = new Set<string>()): string[] {
  if (known.has(name)) return []
  known.add(name)
  const code = readFileSync(join(ROOT, name), 'utf8')
  const imports = code.matchAll(/^(?:import|export) (?!type)[^;]*?from '(\.[^']+)\.js'$/gm)
  for (const [, path = ''] of imports) {
    const file = join(name, '..', path)
    const found = [`${file}.ts`, `${file}.tsx`].find(
      (one) => !one.startsWith('..') && existsSync(join(ROOT, one)),
    )
    if (found) filesImportedBy(found, known)
  }
  return [...known]
}

test('every key is used, and components contain no literal sentences', () => {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) =>
        /\.tsx?$/.test(name) && !name.includes('.test.') && !/i18n\/(?:\w+\/)?(?:en|ko|ja)\.ts$/.test(name),
    )
    .map((name) => readFileSync(join(ROOT, name), 'utf8'))
  const code = files.join('\n')
  const prefixes = [...code.matchAll(/`([\w.]+\.)\$\{/g)].map((match) => match[1] ?? '')
  const unused = Object.keys(en).filter((key) => {
    const name = key.replace(/\.(?:one|other)$/, '')
    return !code.includes(`'${name}'`) && !prefixes.some((start) => key.startsWith(start))
  })
  expect(unused).toEqual([])
  // Text between tags that looks like a sentence.
  const literals = files.flatMap((text) =>
    [...text.matchAll(/>\s*([A-Z][a-z]+(?: [a-z]+)+[.!?]?)\s*</g)].map((match) => match[1]),
  )
  expect(literals).toEqual([])
})
