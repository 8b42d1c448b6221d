import { expect, test } from 'vitest'
import { acceptedEncodings, isKnown } from './content-encoding.js'

test.each([
  [undefined, []],
  ['', []],
  ['identity', []],
  ['gzip', ['gzip']],
  ['gzip, deflate, br, zstd', ['br', 'gzip']],
  ['GZIP;q=1.0, BR;q=0.5', ['gzip', 'br']],
  ['br;q=0, gzip', ['gzip']],
  ['*', ['br', 'gzip']],
  ['*, br;q=0', ['gzip']],
  ['br;q=wrong', []],
])('Accept-Encoding %j allows %j', (header, encodings) => {
  expect(acceptedEncodings(header)).toEqual(encodings)
})

test.each([
  ['"a"', true],
  ['"b", W/"a"', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
  [undefined, false],
])('If-None-Match %j knows "a": %j', (header, isSame) => {
  expect(isKnown(header, '"a"')).toBe(isSame)
})
