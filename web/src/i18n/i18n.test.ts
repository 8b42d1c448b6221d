/** The words are complete: every language has every word, and every word has the same places to fill in. */

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
const places = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted().join(' ')

test.each(languages)('%s has every word of English, none besides, and fills in the same', (_, words) => {
  expect(Object.keys(words)).toEqual(Object.keys(en))
  const wrong = Object.entries(en).filter(([key, text]) => {
    const other = words[key as keyof Dictionary]
    return other.trim() === '' || places(other) !== places(text)
  })
  expect(wrong).toEqual([])
})

test.each(languages)('%s is not English left as it was', (_, words) => {
  const same = Object.entries(en)
    .filter(
      ([key, text]) =>
        words[key as keyof Dictionary] === text && /[a-z]{3}/i.test(text.replaceAll(/\{\w+\}/g, '')),
    )
    .map(([key]) => key)
  expect(same).toEqual([])
})

test('what is counted has both forms', () => {
  const keys = Object.keys(en)
  const missing = keys.filter((key) => key.endsWith('.one') && !keys.includes(key.replace(/one$/, 'other')))
  expect(missing).toEqual([])
})

test('every word is used, and the page says nothing that is not in the dictionary', () => {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.') && !/i18n\/(en|ko|ja)\.ts$/.test(name))
    .map((name) => readFileSync(join(root, name), 'utf8'))
  const code = files.join('\n')
  const made = [...code.matchAll(/`([\w.]+\.)\$\{/g)].map((match) => match[1] ?? '')
  const unused = Object.keys(en).filter((key) => {
    const name = key.replace(/\.(?:one|other)$/, '')
    return !code.includes(`'${name}'`) && !made.some((start) => key.startsWith(start))
  })
  expect(unused).toEqual([])
  // Text between tags that is not a symbol, a key or a name.
  const said = files.flatMap((text) =>
    [...text.matchAll(/>\s*([A-Z][a-z]+(?: [a-z]+)+[.!?]?)\s*</g)].map((match) => match[1]),
  )
  expect(said).toEqual([])
})
