import { expect, test } from 'vitest'
import { secretsIn, secretsInFile, tellingValues } from './secret-value.js'

test('variables are secret by their names', () => {
  expect(
    secretsIn({
      API_KEY: 'one',
      DB_PASSWD: 'two',
      HOME: '/home/kim',
      SSH_AUTH_SOCK: '/run/x',
      PATH: undefined,
    }),
  ).toEqual(['one', 'two'])
})

test('what is handed over as a variable or header is secret whatever its name, but for words, numbers and places', () => {
  expect(
    tellingValues([
      'x7-value',
      'Bearer abcdef12',
      'postgres://app:pass-word@db/x',
      'production',
      '5432',
      'https://example.org/api',
      '/var/lib/x',
    ]),
  ).toEqual(['x7-value', 'Bearer abcdef12', 'abcdef12', 'postgres://app:pass-word@db/x', 'pass-word'])
})

test('in a file for secrets, values behind names are secret, and lines that are nothing but a value', () => {
  const text = [
    '# a comment about things',
    'export NAME="quoted value 7"',
    "OTHER='plain-7'",
    'PORT=5432',
    '  "json": "in-json-7",',
    'yaml: in-yaml-7',
    'AAAAB3NzaC1yc2EAAAADAQABAAABgQ',
    'two words',
  ].join('\n')
  expect(secretsInFile(text)).toEqual([
    'quoted value 7',
    'plain-7',
    'in-json-7',
    'in-yaml-7',
    'AAAAB3NzaC1yc2EAAAADAQABAAABgQ',
  ])
})

test('values of headers in a variable are secret one by one', () => {
  expect(
    secretsIn({
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abcdef12,x-tenant=7,api-key=k-1234567890',
    }),
  ).toEqual(['Bearer%20abcdef12', 'Bearer abcdef12', 'abcdef12', 'k-1234567890', 'k-1234567890'])
})
