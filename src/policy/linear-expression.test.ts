/**
 * Guards against ReDoS: no regular expression of the policy takes more than linear time. Each runs on long texts built
 * from its own characters that fail to match at the end. Its time is compared with one pass over the same text,
 * character by character.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const FOLDERS = ['.', '../lib/glob'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
const LITERAL =
  /(?<=[(,=:|&!?{}\s])\/(?![*/\s])((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([a-z]*)(?=[\s).,;\]:])/g
const LENGTH = 20_000
/** The ratio of a quadratic expression is in the thousands. */
const MAX_RATIO = 150

test('every expression is linear on hostile text', { timeout: 120_000 }, () => {
  const expressions = FOLDERS.flatMap(expressionsBelow)
  const slow = expressions.filter((expression) =>
    hostileTexts(expression.source).some((text) => isSlow(expression, text)),
  )

  expect(expressions.length).toBeGreaterThan(300)
  expect(slow.map(String)).toEqual([])
})

test('a quadratic one would be found', () => {
  expect(hostileTexts('[. ]+$').some((text) => isSlow(/[. ]+$/, text))).toBe(true)
})

function expressionsBelow(folder: string): RegExp[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(LITERAL)])
    .flatMap(([, source = '', flags = '']) => {
      try {
        return [new RegExp(source, flags.replace('g', ''))]
      } catch {
        // Not a regular expression: a division, or a path in a comment.
        return []
      }
    })
}

/** Repeated characters and words of the expression behind its prefix, with an end that does not match. */
function hostileTexts(source: string): string[] {
  const plain = source
    .replaceAll(/\\[dwsWDSbB]/g, 'a1 ')
    .replaceAll('\\n', '\n')
    .replaceAll('\\t', '\t')
    .replaceAll(/\\(.)/g, '$1')
  const start = /^\^?([^()[\]{}?*+|^$.]*)/.exec(plain)?.[1] ?? ''
  const words = (source.match(/[A-Za-z_.-]{2,}/g) ?? []).slice(0, 3)
  const units = [...new Set([...plain.split(''), ...words, 'a', '1', ' ', '/', '\n', 'a/', 'a ', '\\\\'])]
  return units.flatMap((unit) => {
    const long = unit.repeat(LENGTH / unit.length)
    return [`${start}${long}\n\u0001`, `${long}\u0001`]
  })
}

function isSlow(expression: RegExp, text: string): boolean {
  const run = () => expression.test(text)
  // Retry: a busy machine can make any run slow once, but a slow expression is slow every time.
  return [1, 2, 3].every(() => processorTime(run) > MAX_RATIO * Math.max(1, baseline(text)))
}

let known = 0

/** In microseconds: one pass over a text of this length, repeated many times because one pass is short. */
function baseline(text: string): number {
  known ||=
    processorTime(() => {
      let sum = 0
      for (let round = 0; round < 100; round++) {
        for (let at = 0; at < text.length; at++) sum += text.charCodeAt(at)
      }
      return sum
    }) / 100
  return known
}

function processorTime(run: () => unknown): number {
  const start = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(start)
  return user + system
}
