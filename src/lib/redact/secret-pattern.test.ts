/** No text may make redaction slow: it runs in the thread that serves every client. */

import { expect, test } from 'vitest'
import { findSlowness } from '../../../test/support/regex-structure.js'
import { FORMATS, KEY_END, KEY_START, NAMED, WEB_TOKEN } from './secret-pattern.js'
import { createSecretSet } from './secret-set.js'

const SHAPES = [...FORMATS.map(([, format]) => format), WEB_TOKEN, ...NAMED]
const EXPRESSIONS = [...SHAPES.flatMap(({ start, whole }) => [start, whole]), KEY_START, KEY_END]

test.each(EXPRESSIONS.map((expression) => [expression.source, expression.flags]))(
  'takes linear time by its structure: %s',
  (source, flags) => {
    expect(findSlowness(source, flags)).toBeNull()
  },
)

/** Building blocks of the expressions: the beginnings of matches, and each of their characters. */
const PREFIXES = [
  ' -u',
  ' -u=',
  ' --user ',
  ' -u a:',
  '\\n-u ',
  '\\t--user=',
  'eyJ',
  '-eyJ',
  'eyJabcdefghijkl.',
  '-eyJabcdefghijkl.abcdefghijkl',
  '\\neyJ',

  'sk-',
  'sk-ant-',
  'sk-proj-',
  'ghp_',
  'github_pat_',
  'npm_',
  'sbx_',
  'xoxb-',
  'AKIA',
  'AIza',
  'sk_live_',
  '-----BEGIN ',
  '-----BEGIN RSA PRIVATE KEY-----',
  '-----END ',
  'PRIVATE KEY',
  'PRIVATE KEY-----',

  'token',
  'token=',
  'token = ',
  'token"',
  'token\\"',
  "token\\\\\\'",
  'password: ',
  '"apiKey":"',
  'secret:\\"',

  'authorization: Bearer ',
  'Bearer ',
  'Authorization=Basic ',
  'AWS_SECRET_ACCESS_KEY',
  'KEY',
  'A_KEY=',
  'KEYTOKEN',

  'cookie',
  'cookie:',
  'Cookie: ',
  'cookie="',
  '--token ',
  '--password\t',
  '--api-key',
  'a://',
  'https://a:',
  '://:',

  'https://a:b',
  '[redacted]',
  '…',
  'the-known-secret',
  'the-known-secre',
  'the-known-sec…',
  'a1a1a1a1',
  'token=a1a1a1a1 ',
]
const CHARACTERS = ' \t\n\\"\'=:;,&@/.-_~+#$%(){}[]<>|aAkKzZ019é漢\u2028'.split('')
const PAIRS = CHARACTERS.flatMap((one) => CHARACTERS.slice(0, 18).map((other) => one + other))

/** In milliseconds. Not the time on the wall, which other programs make longer. */
function cpuTimeOf(work: () => unknown): number {
  const start = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

/** The best of some runs: other programs can make one slower, never faster. */
function costOf(work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3; run += 1) {
    best = Math.min(best, cpuTimeOf(work))
  }
  return best
}

const fill = (seed: string, length: number) => seed.repeat(Math.ceil(length / seed.length)).slice(0, length)

/** Baseline: the cost of reading a text once, in the same run. */
function readOnce(text: string): number {
  let sum = 0
  for (let at = 0; at < text.length; at += 1) sum = (sum * 31 + text.charCodeAt(at)) | 0
  return sum
}

/** A text is read some hundred times at most; a quadratic expression would read these thousands of times. */
const MOST_READS = 1_000

test.each([
  ['100 kB of each beginning', PREFIXES, 100_000],
  ['100 kB of each character', CHARACTERS, 100_000],
  ['20 kB of each pair of characters', PAIRS, 20_000],
  [
    '100 kB of each beginning, in JSON',
    PREFIXES.map((prefix) => JSON.stringify(prefix).slice(1, -1)),
    100_000,
  ],
])(
  'redaction reads %s a bounded number of times',
  (_, seeds, length) => {
    const once = Math.max(
      0.1,
      costOf(() => readOnce(fill('abc ', length))),
    )
    const slow = seeds.flatMap((seed) => {
      const text = ` -u${fill(seed, length)}`
      const reads = readsOf(() => createSecretSet(KNOWN).redact(text), once)
      return reads > MOST_READS ? [`${JSON.stringify(seed)}: ${Math.round(reads)}`] : []
    })
    expect(slow).toEqual([])
  },
  60_000,
)

test('redaction of ten times as much takes about ten times as long, up to 500 kB', () => {
  const steep = PREFIXES.flatMap((seed) => {
    const book = createSecretSet(KNOWN)
    const [small, large] = [fill(seed, 50_000), fill(seed, 500_000)]
    const base = Math.max(
      5,
      costOf(() => book.redact(small)),
    )
    // A quadratic one takes a hundred times as long.
    const times = readsOf(() => book.redact(large), base, 50)
    return times > 50 ? [`${JSON.stringify(seed)}: ${Math.round(times)} times`] : []
  })
  expect(steep).toEqual([])
}, 60_000)

const KNOWN = ['the-known-secret', fill('a1', 300), `${fill('a', 200)}b`]

/** How often the work takes as long as the unit. Measured again only if it seems too much. */
function readsOf(work: () => unknown, unit: number, most = MOST_READS): number {
  const first = cpuTimeOf(work) / unit
  return first > most ? costOf(work) / unit : first
}

test('a text made of thousands of values that begin alike is redacted in linear time', () => {
  const book = createSecretSet()
  const values = Array.from({ length: 5_000 }, (_, index) => `same-beginning-${index}x`)
  book.learn(values, 'file')
  const cost = (length: number) => {
    const text = fill('same-beginning-same-beginning-499 …', length)
    return costOf(() => book.redact(text))
  }
  expect(cost(1_000_000)).toBeLessThan(10 * cost(250_000) + 50)
})
