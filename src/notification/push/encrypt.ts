/** Encrypts a push message for one browser: RFC 8291 (keys) with RFC 8188 (aes128gcm). Pure but for the random key and salt. */

import { createCipheriv, createECDH, createHmac, randomBytes } from 'node:crypto'

const CURVE = 'prime256v1'
const RECORD_SIZE = 4_096
/** The largest message that push services must accept, without what encryption adds. */
export const MAX_PLAIN_BYTES = 3_993

export interface BrowserKeys {
  /** The browser's public key and its authentication secret, in base64url. */
  readonly p256dh: string
  readonly auth: string
}

/** For tests with the example of the RFC. */
interface Fixed {
  privateKey: Buffer
  salt: Buffer
}

export function encryptPush(plain: Buffer, { p256dh, auth }: BrowserKeys, fixed?: Fixed): Buffer {
  if (plain.length > MAX_PLAIN_BYTES) throw new Error('The push message is too long.')
  const receiverKey = Buffer.from(p256dh, 'base64url')
  const local = createECDH(CURVE)
  if (fixed) local.setPrivateKey(fixed.privateKey)
  else local.generateKeys()
  const localKey = local.getPublicKey()
  const salt = fixed?.salt ?? randomBytes(16)

  const shared = local.computeSecret(receiverKey)
  const authKey = hmac(Buffer.from(auth, 'base64url'), shared)
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), receiverKey, localKey])
  const material = expand(authKey, keyInfo, 32)
  const key = hmac(salt, material)
  const contentKey = expand(key, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = expand(key, Buffer.from('Content-Encoding: nonce\0'), 12)

  const cipher = createCipheriv('aes-128-gcm', contentKey, nonce)
  // The delimiter 2 marks the last record.
  const sealed = Buffer.concat([
    cipher.update(plain),
    cipher.update(Buffer.from([2])),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(RECORD_SIZE)
  return Buffer.concat([salt, size, Buffer.from([localKey.length]), localKey, sealed])
}

/** Whether the keys of a subscription can be used: a point on the curve, and sixteen bytes. */
export function areBrowserKeys({ p256dh, auth }: BrowserKeys): boolean {
  const point = Buffer.from(p256dh, 'base64url')
  if (point.length !== 65 || point[0] !== 4 || Buffer.from(auth, 'base64url').length !== 16) return false
  try {
    const local = createECDH(CURVE)
    local.generateKeys()
    local.computeSecret(point)
    return true
  } catch {
    return false
  }
}

function hmac(key: Buffer, data: Buffer): Buffer {
  return createHmac('sha256', key).update(data).digest()
}

/** HKDF-Expand for at most one block. */
function expand(key: Buffer, info: Buffer, length: number): Buffer {
  return hmac(key, Buffer.concat([info, Buffer.from([1])])).subarray(0, length)
}
