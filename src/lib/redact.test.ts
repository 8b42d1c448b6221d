import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRedactor } from './redact.js'

const redact = createRedactor(['the-known-secret', 'short'])

test.each([
  'sk-ant-api03-abcdefghijklmnop-qrstuvwxyz',
  `ghp_${'a'.repeat(36)}`,
  `github_pat_${'a'.repeat(40)}`,
  'xoxb-1234567890-abcdef',
  'AKIAABCDEFGHIJKLMNOP',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl',
  'the-known-secret',
])('%s does not stay in a text', (secret) => {
  const text = redact(JSON.stringify({ text: `here it is: ${secret}, use it` }))
  expect(text).not.toContain(secret)
  expect(text).toContain('use it')
})

test('what stands behind a name for a secret is taken out; the name stays', () => {
  expect(redact('PASSWORD=hunter22 and more')).toBe('PASSWORD=[redacted] and more')
  expect(redact('{"apiKey":"abcd1234","port":4747}')).toBe('{"apiKey":"[redacted]","port":4747}')
  expect(redact(JSON.stringify('{"token": "abcd1234"}'))).toBe('"{\\"token\\": \\"[redacted]\\"}"')
  expect(redact('authorization: Bearer abcdef123456')).toBe('authorization: Bearer [redacted]')
  expect(redact('https://kim:hunter22@example.org/x')).toBe('https://kim:[redacted]@example.org/x')
})

test('a private key goes to its end', () => {
  const key = '-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----'
  expect(redact(`a ${key} b`)).toBe('a [redacted] b')
})

test('ordinary text stays as it is', () => {
  const text = 'The token count is 12, the password form is in src/password-form.tsx, and a short word.'
  expect(redact(text)).toBe(text)
})

test('a record stays a record: counters, flags, lists and objects keep their place', () => {
  const usage =
    '{"input_tokens":1000,"output_tokens": 25000,"token":null,"credentials":{"a":1},"secrets":["b"]}'
  expect(redact(usage)).toBe(usage)
  const names = fc.constantFrom('token', 'password', 'apiKey', 'input_tokens', 'secret', 'note')
  const record = fc.dictionary(names, fc.jsonValue())
  fc.assert(
    fc.property(record, (value) => {
      expect(() => JSON.parse(redact(JSON.stringify(value)))).not.toThrow()
    }),
  )
})
