/** Every language has every key, with the same placeholders. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Dictionary } from './dictionary.js'
import { en } from './en.js'
import { ja } from './ja.js'
import { ko } from './ko.js'

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

test('every key is used, and components contain no literal sentences', () => {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.') && !/i18n\/(en|ko|ja)\.ts$/.test(name))
    .map((name) => readFileSync(join(root, name), 'utf8'))
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
