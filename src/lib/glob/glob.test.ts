/** Globs: what they fit, compared with bash and with the matcher that rules were written for, and what they cost. */

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { seeded } from '../../../bench/policy-rewrite.js'
import { fitsWhole, fittingEnds, fittingStarts, globOf } from './glob.js'
import { canMeet } from './meet.js'

const SHELL = { braces: false, paths: false }
const RULES = { braces: true, paths: true }

function fits(pattern: string, text: string, syntax = RULES): boolean | null {
  const glob = globOf(pattern, syntax)
  return glob === null ? null : fitsWhole(glob, text)
}

/** Recorded from picomatch 4 with `dot: true`: patterns and texts of a generated set. */
test('patterns of rules fit what they always have fitted', () => {
  const fixture = new URL('../../../test/support/fixtures/rule-globs.tsv', import.meta.url)
  const rows = readFileSync(fixture, 'utf8').trimEnd().split('\n')
  const different = rows.filter((row) => {
    const [pattern = '', text = '', answer] = row.split('\t')
    return fits(pattern, text) !== (answer === 'yes')
  })

  expect(rows.length).toBe(400)
  expect(different).toEqual([])
})

test('patterns of shells fit what they fit in bash', () => {
  const random = seeded(20_261_116)
  const pick = (pieces: readonly string[], count: number) =>
    Array.from(
      { length: 1 + Math.floor(random() * count) },
      () => pieces[Math.floor(random() * pieces.length)],
    ).join('')
  const pieces = [
    'a',
    'b',
    '.',
    '*',
    '*',
    '?',
    '[ab]',
    '[!a]',
    '[a-c]',
    '[[:digit:]]',
    '\\*',
    '@(a|b)',
    '?(a|bb)',
  ]
  const groups = ['+(a|b)', '*(a|.b)', '!(a)', '!(a*|b)', '+(a|@(b|c))', '[]a]', '[^b-]', '-']
  const cases = Array.from({ length: 1_500 }, () => ({
    pattern: pick([...pieces, ...groups], 5),
    text: pick(['a', 'b', 'c', '.', '*', '1', '-', ']', 'aa'], 5),
  }))
  const script = 'while IFS= read -r p && IFS= read -r t; do [[ $t == $p ]] && echo yes || echo no; done'
  const { stdout } = spawnSync('/bin/bash', ['--norc', '-c', script], {
    input: cases.map(({ pattern, text }) => `${pattern}\n${text}\n`).join(''),
    encoding: 'utf8',
    env: { LC_ALL: 'C' },
  })
  const answers = stdout.trimEnd().split('\n')
  const different = cases.filter(
    ({ pattern, text }, index) => fits(pattern, text, SHELL) !== (answers[index] === 'yes'),
  )

  expect(answers.length).toBe(cases.length)
  expect(answers.filter((answer) => answer === 'yes').length).toBeGreaterThan(100)
  expect(different).toEqual([])
})

test('the beginnings and ends that a pattern fits are told by their length', () => {
  const starts = (pattern: string, text: string) => fittingStarts(globOf(pattern, SHELL) ?? never(), text)
  const ends = (pattern: string, text: string) => fittingEnds(globOf(pattern, SHELL) ?? never(), text)

  expect(starts('*/', 'a/b/c')).toEqual([2, 4])
  expect(ends('.*', 'a.tar.gz')).toEqual([3, 7])
  expect(ends('@(b|cb)a', 'xcba')).toEqual([2, 3])
  expect(starts('x*', 'abc')).toEqual([])
})

function never(): never {
  throw new Error('The pattern cannot be read.')
}

/** Steps, not time: beyond them there is no answer, and the caller takes the safe side. */
test.each([
  ['*a*a*a*a*a*a*a*a*b', 'a'.repeat(4_000)],
  ['+(a|aa)+(a|aa)b', 'a'.repeat(2_000)],
  ['*(*(*(a)))b', 'a'.repeat(500)],
  ['!(a)!(a)!(a)b', 'a'.repeat(300)],
  [`${'?(a)'.repeat(200)}b`, 'a'.repeat(200)],
  [`${'*'.repeat(2_000)}b`, 'a'.repeat(2_000)],
  ['{a,{a,{a,{a,a}}}}*'.repeat(20), 'a'.repeat(1_000)],
  ['**/'.repeat(200).concat('b'), 'a/'.repeat(1_000)],
  ['['.repeat(4_000), '['],
  ['{'.repeat(4_000), '{'],
  ['[!'.repeat(2_000), 'a'],
])('%.40s ends after a bounded number of steps', (pattern, text) => {
  for (const syntax of [SHELL, RULES]) expect([true, false, null]).toContain(fits(pattern, text, syntax))
})

test.each([
  ['/w/private/**', '/w/priv*/a.txt', true],
  ['/w/private/**', '/w/*/a.txt', true],
  ['/w/private/**', '/w/pub*/a.txt', false],
  ['/w/private/**', '/w/p*', true],
  ['/w/**/*.key', '/w/src/*', true],
  ['/w/**/*.key', '/w/src/*.ts', false],
  ['/h/.box/{token,lock*}', '/h/*/token', false],
  ['/h/.box/{token,lock*}', '/h/.*/tok?n', true],
  ['/h/.box/{token,lock*}', '/h/.box/[st]oken', true],
  ['/h/.box/{token,lock*}', '/h/.box/[a-c]oken', false],
  ['/w/a?c', '/w/ab*d', false],
])('%s and %s can fit one path: %s', (rule, pattern, expected) => {
  const one = globOf(rule, RULES) ?? never()
  const other = globOf(pattern, { braces: false, paths: true }) ?? never()
  expect(canMeet({ glob: one }, { glob: other, hidesDots: true })).toBe(expected)
})
