import { expect, test } from 'vitest'
import { readQuery, writeQuery } from '../ui/use-address-query.js'
import { NO_QUERY, requestOf, searchPath } from './query.js'

test('a query with its filters is kept in the address', () => {
  const address = '?q=a+%26+b&folder=%2Fwork&tool=Bash&since=2026-11-01'
  const query = readQuery(address, NO_QUERY)

  expect(query).toEqual({
    q: 'a & b',
    folder: '/work',
    session: '',
    tool: 'Bash',
    user: '',
    since: '2026-11-01',
    until: '',
  })
  expect(writeQuery(query, NO_QUERY)).toBe(address)
  expect(searchPath({ q: 'x', session: 'ses_1' })).toBe('/search?q=x&session=ses_1')
  expect(searchPath({})).toBe('/search')
})

test('days are local and whole, and text that is no day is left out', () => {
  const query = { ...NO_QUERY, q: ' word ', since: '2026-11-01', until: '2026-11-30', user: ' ' }

  expect(requestOf(query)).toEqual({
    q: 'word',
    since: new Date(2026, 10, 1).toISOString(),
    until: new Date(2026, 11, 1).toISOString(),
  })
  expect(requestOf({ ...query, since: 'soon', until: '' })).toEqual({ q: 'word' })
  expect(requestOf({ ...query, q: ' ' })).toBeNull()
})
