import { expect, test } from 'vitest'
import { HubError } from '../protocol/error.js'
import { startErrorOf } from './start-error.js'

const home = { path: '/home/kim/.signalbox', database: '/home/kim/.signalbox/signalbox.db' }
const failure = (message: string, fields: object) => Object.assign(new Error(message), fields)

test('whatever a start fails with is one sentence with a code', () => {
  const codes = [
    failure('database disk image is malformed', { errcode: 11 }),
    failure('database disk image is malformed', {}),
    failure('no such table: request', { errcode: 1 }),
    failure('database or disk is full', { errcode: 13 }),
    failure('EISDIR: illegal operation on a directory', { code: 'EISDIR', path: `${home.path}/token` }),
    failure('ENOSPC: no space left on device, write', { code: 'ENOSPC' }),
    failure('ENOSPC: no space left on device', { code: 'ENOSPC', path: `${home.path}/audit-seal.json.new` }),
  ].map((error) => {
    const explained = startErrorOf(error, home)
    return explained instanceof HubError ? explained.code : explained
  })

  expect(codes).toEqual([
    'storage_damaged',
    'storage_damaged',
    'storage_damaged',
    'storage_unavailable',
    'home_unusable',
    'storage_unavailable',
    'storage_unavailable',
  ])
})

test('an error about something else is not blamed on the home', () => {
  const errors = [
    new HubError('port_in_use', 'The port is in use.'),
    new TypeError('x is not a function'),
    failure('ENOENT', { code: 'ENOENT', path: '/srv/tool.js' }),
  ]

  expect(errors.map((error) => startErrorOf(error, home))).toEqual(errors)
})
