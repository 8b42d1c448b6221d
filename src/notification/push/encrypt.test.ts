import { createECDH, randomBytes, verify } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decryptPush, publicKeyOf } from '../../../test/support/push-service.js'
import { areBrowserKeys, encryptPush, MAX_PLAIN_BYTES } from './encrypt.js'
import { createVapidKeys, vapidHeader } from './vapid.js'

const bytes = (text: string) => Buffer.from(text, 'base64url')

test('the example of RFC 8291 is encrypted to the same bytes', () => {
  const keys = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  }
  const fixed = {
    privateKey: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
    salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'),
  }
  const message = Buffer.from('When I grow up, I want to be a watermelon')

  expect(encryptPush(message, keys, fixed).toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  )
})

test('only the browser with the private key can read a message, and no message is too long for a push service', () => {
  const browser = createECDH('prime256v1')
  const p256dh = browser.generateKeys('base64url')
  const auth = randomBytes(16).toString('base64url')
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: MAX_PLAIN_BYTES }), (message) => {
      const sealed = encryptPush(Buffer.from(message), { p256dh, auth })
      expect(sealed.length).toBeLessThanOrEqual(4_096)
      expect(decryptPush(sealed, { privateKey: browser.getPrivateKey(), auth })).toEqual(Buffer.from(message))
    }),
    { numRuns: 50 },
  )
  const sealed = encryptPush(Buffer.from('hello'), { p256dh, auth })
  const other = createECDH('prime256v1')
  other.generateKeys()
  expect(() => decryptPush(sealed, { privateKey: other.getPrivateKey(), auth })).toThrow()
  expect(() => encryptPush(Buffer.alloc(MAX_PLAIN_BYTES + 1), { p256dh, auth })).toThrow()
})

test('keys that are not on the curve are refused', () => {
  const p256dh = createECDH('prime256v1').generateKeys('base64url')
  const auth = randomBytes(16).toString('base64url')
  const off = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]).toString('base64url')
  expect(areBrowserKeys({ p256dh, auth })).toBe(true)
  for (const keys of [
    { p256dh: off, auth },
    { p256dh: p256dh.slice(0, 40), auth },
    { p256dh, auth: 'short' },
    { p256dh: '', auth: '' },
  ])
    expect(areBrowserKeys(keys)).toBe(false)
})

test('a push service can verify who sends, for how long, and that it is meant', () => {
  const keys = createVapidKeys()
  const now = Date.UTC(2026, 10, 15)

  const header = vapidHeader('https://push.example:8443/send/abc', keys, {
    contact: 'mailto:kim@example.com',
    now,
  })

  const [, token = '', key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header) ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  expect(key).toBe(keys.publicKey)
  expect(JSON.parse(bytes(head).toString())).toEqual({ typ: 'JWT', alg: 'ES256' })
  expect(JSON.parse(bytes(claims).toString())).toEqual({
    aud: 'https://push.example:8443',
    exp: now / 1_000 + 43_200,
    sub: 'mailto:kim@example.com',
  })
  const proof = { key: publicKeyOf(keys.publicKey), dsaEncoding: 'ieee-p1363' as const }
  expect(verify('sha256', Buffer.from(`${head}.${claims}`), proof, bytes(signature))).toBe(true)
})
