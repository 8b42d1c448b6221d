/** Identifies this installation to push services: RFC 8292. The keys are our own; no other service is involved. */

import { createPrivateKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto'
import type { Store } from '../../store/port.js'

const KIND = 'push-key'
const LIFE_SECONDS = 12 * 60 * 60

export interface VapidKeys {
  /** The point on the curve in base64url, as browsers and push services get it. */
  readonly publicKey: string
  readonly privateKey: JsonWebKey
}

export function createVapidKeys(): VapidKeys {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const jwk = privateKey.export({ format: 'jwk' })
  const point = Buffer.concat([
    Buffer.from([4]),
    Buffer.from(jwk.x ?? '', 'base64url'),
    Buffer.from(jwk.y ?? '', 'base64url'),
  ])
  return { publicKey: point.toString('base64url'), privateKey: jwk }
}

/** The keys of this home. Subscriptions belong to them, so they are made once. */
export async function loadVapidKeys(store: Store): Promise<VapidKeys> {
  const known = (await store.record(KIND, 'vapid')) as VapidKeys | null
  if (known) return known
  const made = createVapidKeys()
  await store.saveRecords([{ kind: KIND, id: 'vapid', body: made }])
  return made
}

/** The header for a request to the push service of this endpoint. */
export function vapidHeader(
  endpoint: string,
  { publicKey, privateKey }: VapidKeys,
  { contact, now }: { contact: string; now: number },
): string {
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor(now / 1_000) + LIFE_SECONDS,
    sub: contact,
  }
  const unsigned = [{ typ: 'JWT', alg: 'ES256' }, claims].map(encode).join('.')
  const key = createPrivateKey({ key: privateKey, format: 'jwk' })
  const signature = sign('sha256', Buffer.from(unsigned), { key, dsaEncoding: 'ieee-p1363' })
  return `vapid t=${unsigned}.${signature.toString('base64url')}, k=${publicKey}`
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
