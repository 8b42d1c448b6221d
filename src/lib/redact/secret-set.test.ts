import fc from 'fast-check'
import { expect, test } from 'vitest'
import { measureTurns } from '../../../test/support/longest-turn.js'
import { createSecretSet } from './secret-set.js'

const { redact } = createSecretSet(['the-known-secret', 'short', 'with "quotes"\nand lines'])

test.each([
  'sk-ant-api03-abcdefghijklmnop-qrstuvwxyz',
  `ghp_${'a'.repeat(36)}`,
  `github_pat_${'a'.repeat(40)}`,
  'xoxb-1234567890-abcdef',
  'AKIAABCDEFGHIJKLMNOP',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl',
  `sk_live_${'a1'.repeat(12)}`,
  'the-known-secret',
])('%s does not stay in a text', (secret) => {
  const text = redact(JSON.stringify({ text: `here it is: ${secret}, and\n${secret} use it` }))
  expect(text).not.toContain(secret)
  expect(text).toContain('use it')
})

test('what stands behind a name for a secret is taken out; the name stays', () => {
  expect(redact('PASSWORD=hunter22 and more')).toBe('PASSWORD=[redacted] and more')
  expect(redact('{"apiKey":"abcd1234","port":4747}')).toBe('{"apiKey":"[redacted]","port":4747}')
  expect(redact(JSON.stringify('{"token": "abcd1234"}'))).toBe('"{\\"token\\": \\"[redacted]\\"}"')
  expect(redact('authorization: Bearer abcdef123456')).toBe('authorization: Bearer [redacted]')
  expect(redact('authorization: Basic a2ltOmh1bnRlcjIy')).toBe('authorization: Basic [redacted]')
  expect(redact('Cookie: id=4711; theme=dark\nnext')).toBe('Cookie: [redacted]\nnext')
  expect(redact('AWS_SECRET_ACCESS_KEY="wJalrXUt/nFEMI" x')).toBe('AWS_SECRET_ACCESS_KEY="[redacted]" x')
  expect(redact('curl -u kim:hunter22 --token abcd1234 x')).toBe(
    'curl -u kim:[redacted] --token [redacted] x',
  )
  expect(redact('https://kim:hunter22@example.org/x')).toBe('https://kim:[redacted]@example.org/x')
})

test('a known secret is found however it is written, also where a text was cut in it', () => {
  const secret = 'with "quotes"\nand lines'
  const spelled = [secret, JSON.stringify({ secret }), JSON.stringify(JSON.stringify({ secret }))]
  for (const text of [...spelled, encodeURIComponent(secret)]) expect(redact(text)).toContain('[redacted]')
  expect(redact('run the-known-sec…')).toBe('run [redacted]…')
  expect(redact('run the…')).toBe('run the…')
  expect(redact(JSON.stringify({ text: 'interrupted at the-known-sec' }))).toBe(
    '{"text":"interrupted at [redacted]"}',
  )
  expect(redact('the-known-sec in a sentence')).toBe('the-known-sec in a sentence')
})

test('what is learned is hidden from then on, and told to be new once', () => {
  const book = createSecretSet()
  expect(book.redact('hush-hush')).toBe('hush-hush')
  expect(book.learn(['hush-hush', 'hush-hush', 'tiny'])).toEqual(['hush-hush'])
  expect(book.learn(['hush-hush'])).toEqual([])
  expect(book.redact('hush-hush, tiny')).toBe('[redacted], tiny')
})

test('what was called a secret once is hidden wherever it stands afterwards; a word is not', () => {
  const book = createSecretSet()
  expect(book.redact('curl -u kim:hunter22 x; echo hunter22')).toBe(
    'curl -u kim:[redacted] x; echo [redacted]',
  )
  expect(book.redact('["-u","kim:hunter22"]')).toBe('["-u","kim:[redacted]"]')
  book.redact('password: string; token: process.env.TOKEN1')
  expect(book.redact('a string, process.env.TOKEN1')).toBe('a string, process.env.TOKEN1')
})

test('a private key goes to its end', () => {
  const key = '-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----'
  expect(redact(`a ${key} b`)).toBe('a [redacted] b')
  expect(JSON.parse(redact(JSON.stringify({ key: key.slice(0, 40), b: 1 })))).toEqual({
    key: '[redacted]',
    b: 1,
  })
})

test('ordinary text stays as it is', () => {
  const text = 'The token count is 12, the password form is in src/password-form.tsx, and a short word.'
  expect(redact(text)).toBe(text)
})

test('a record stays a record: counters, flags, lists and objects keep their place', () => {
  const usage =
    '{"input_tokens":1000,"output_tokens": 25000,"token":null,"credentials":{"a":1},"secrets":["b"]}'
  expect(redact(usage)).toBe(usage)
  const names = fc.constantFrom('token', 'password', 'apiKey', 'input_tokens', 'secret', 'note', 'cookie')
  const record = fc.dictionary(names, fc.jsonValue())
  fc.assert(
    fc.property(record, (value) => {
      expect(() => JSON.parse(redact(JSON.stringify(value)))).not.toThrow()
    }),
  )
})

test('what agents write cannot push out what was configured or found in a file', () => {
  const book = createSecretSet(['the-token-of-the-home'])
  book.learn(['value-of-a-file'], 'file')
  for (let index = 0; index < 5_200; index += 1) book.redact(`token=zq1abc${index}x9`)
  const hostile = Array.from({ length: 25_000 }, (_, index) => `in-a-file-${index}`)
  expect(book.redact('the-token-of-the-home value-of-a-file zq1abc5199x9')).toBe(
    '[redacted] [redacted] [redacted]',
  )
  book.learn(hostile, 'file')
  expect(book.redact('the-token-of-the-home in-a-file-24999')).toBe('[redacted] [redacted]')
})

test('of what is learned from texts, what was seen longest ago makes room', () => {
  const book = createSecretSet()
  for (let index = 0; index < 5_000; index += 1) book.redact(`token=zq1abc${index}x9`)
  book.redact('again: token=zq1abc0x9')
  book.redact('token=one-more-1')
  expect(book.redact('zq1abc0x9 zq1abc1x9 zq1abc2x9')).toBe('[redacted] zq1abc1x9 [redacted]')
})

test('nothing is learned from what the reader has sent, and beginnings of secrets are left as they are', () => {
  const book = createSecretSet(['canary-secret-0001'])
  expect(book.redactEcho('canary-secret-0001, canary-sec…, token=abcd12345')).toBe(
    '[redacted], canary-sec…, token=[redacted]',
  )
  expect(book.redact('abcd12345')).toBe('abcd12345')
})

test('long values are hidden as a whole, wherever they begin', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 6, maxLength: 400, unit: fc.constantFrom(...'abAB01-_x'.split('')) }),
      fc.string({ maxLength: 100, unit: fc.constantFrom(...'abAB01-_x'.split('')) }),
      (secret, before) => {
        const hidden = createSecretSet([secret]).redact(`${before} ${secret} end`)
        expect(hidden).not.toContain(secret)
        expect(hidden.endsWith('[redacted] end')).toBe(true)
      },
    ),
  )
})

test('of two known values that begin alike the longer one is hidden whole', () => {
  const book = createSecretSet(['secret-value', 'secret-value-and-more', 'secret-values'])
  expect(book.redact('secret-value-and-more secret-values secret-value-and secret-value')).toBe(
    '[redacted] [redacted] [redacted]-and [redacted]',
  )
})

const LONG = Array.from({ length: 40_000 }, (_, index) => `token=z1q${index}abcdKx9`).join(' ')

test('in slices the result is the same, also where a secret stands at the edge of a slice', async () => {
  const secrets = [
    'AWS_SECRET_ACCESS_KEY="hunter22x"',
    ' -u kim:hunter22',
    'https://kim:hunter22@x.org',
    'the-known-secret',
  ]
  for (const secret of secrets)
    for (let before = 16_384 - 40; before < 16_384 + 2; before += 1) {
      const text = `${' '.repeat(before)}${secret} end`
      const hidden = await createSecretSet(['the-known-secret']).redactInSlices(text)
      expect(hidden).toBe(`${' '.repeat(before)}${redact(`${secret} end`)}`)
    }
  expect(await createSecretSet().redactInSlices(LONG)).toBe(createSecretSet().redact(LONG))
  expect(await createSecretSet().redactEchoInSlices(LONG)).toBe(createSecretSet().redactEcho(LONG))
})

test('while long texts are redacted in slices, the event loop goes on turning', async () => {
  const longest = async () => {
    const book = createSecretSet()
    const turns = await measureTurns(() =>
      Promise.all([LONG, LONG, '\n'.repeat(900_000)].map((text) => book.redactInSlices(text))),
    )
    expect(turns.count).toBeGreaterThan(20)
    return turns.longest
  }
  // CPU time of a single turn, the best of some runs: a collection of garbage can make one longer.
  const runs = [await longest(), await longest(), await longest()]
  expect(Math.min(...runs)).toBeLessThan(40)
}, 60_000)
