/** A push service on loopback: takes messages as RFC 8030 says, decrypts them (RFC 8291) and checks who sends (RFC 8292). */

import {
  createDecipheriv,
  createECDH,
  createHmac,
  createPublicKey,
  type KeyObject,
  randomBytes,
  verify,
} from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

export interface PushKeys {
  privateKey: Buffer
  auth: string
}

export function decryptPush(sealed: Buffer, { privateKey, auth }: PushKeys): Buffer {
  const salt = sealed.subarray(0, 16)
  const recordSize = sealed.readUInt32BE(16)
  const keyLength = sealed[20] ?? 0
  const senderKey = sealed.subarray(21, 21 + keyLength)
  const content = sealed.subarray(21 + keyLength)
  if (content.length > recordSize) throw new Error('more than one record')
  const local = createECDH('prime256v1')
  local.setPrivateKey(privateKey)
  const hmac = (key: Buffer, data: Buffer) => createHmac('sha256', key).update(data).digest()
  const expand = (key: Buffer, info: string | Buffer, length: number) =>
    hmac(key, Buffer.concat([Buffer.from(info), Buffer.from([1])])).subarray(0, length)
  const authKey = hmac(Buffer.from(auth, 'base64url'), local.computeSecret(senderKey))
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), local.getPublicKey(), senderKey])
  const key = hmac(salt, expand(authKey, info, 32))
  const decipher = createDecipheriv(
    'aes-128-gcm',
    expand(key, 'Content-Encoding: aes128gcm\0', 16),
    expand(key, 'Content-Encoding: nonce\0', 12),
  )
  decipher.setAuthTag(content.subarray(-16))
  const padded = Buffer.concat([decipher.update(content.subarray(0, -16)), decipher.final()])
  const end = padded.findLastIndex((byte) => byte !== 0)
  if (padded[end] !== 2) throw new Error('not the last record')
  return padded.subarray(0, end)
}

export function publicKeyOf(point: string): KeyObject {
  const bytes = Buffer.from(point, 'base64url')
  const [x, y] = [bytes.subarray(1, 33), bytes.subarray(33)].map((part) => part.toString('base64url'))
  return createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' } })
}

export interface PushedMessage {
  path: string
  ttl: string | undefined
  topic: string | undefined
  urgency: string | undefined
  /** The key that the sender has proved to have. */
  sender: string
  content: unknown
}

export interface PushService {
  url: string
  /** A browser's side of a subscription. */
  subscribe(): { endpoint: string; p256dh: string; auth: string }
  messages: PushedMessage[]
  /** Reasons for which requests were refused. */
  problems: string[]
  /** Answers the next requests with these statuses instead. */
  statuses: (number | 'cut' | 'hang')[]
  close(): Promise<void>
}

export async function startPushService(
  options: { tls?: { cert: string; key: string }; host?: string; address?: string } = {},
): Promise<PushService> {
  const subscriptions = new Map<string, PushKeys>()
  const service = { messages: [], problems: [], statuses: [] } as unknown as PushService
  let origin = ''

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const planned = service.statuses.shift()
      if (planned === 'cut') return request.socket.destroy()
      if (planned === 'hang') return
      if (planned !== undefined) return response.writeHead(planned, { 'retry-after': '7' }).end('planned')
      try {
        service.messages.push(accept(request, Buffer.concat(chunks)))
        response.writeHead(201, { location: `${origin}/message/${service.messages.length}` }).end()
      } catch (error) {
        service.problems.push(String(error))
        response.writeHead(400).end(String(error))
      }
    })
  }

  function accept(request: IncomingMessage, body: Buffer): PushedMessage {
    const { url: path = '', headers, method } = request
    if (method !== 'POST') throw new Error(`method ${method}`)
    const keys = subscriptions.get(path)
    if (!keys) throw new Error(`unknown subscription ${path}`)
    if (headers['content-encoding'] !== 'aes128gcm') throw new Error('wrong content-encoding')
    if (!/^\d+$/.test(String(headers['ttl']))) throw new Error('no TTL')
    const sender = checkSender(headers.authorization ?? '')
    return {
      path,
      ttl: one(headers['ttl']),
      topic: one(headers['topic']),
      urgency: one(headers['urgency']),
      sender,
      content: JSON.parse(decryptPush(body, keys).toString()) as unknown,
    }
  }

  function checkSender(header: string): string {
    const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header) ?? []
    const [head = '', claims = '', signature = ''] = token.split('.')
    const proof = { key: publicKeyOf(key), dsaEncoding: 'ieee-p1363' as const }
    const isSigned = verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      proof,
      Buffer.from(signature, 'base64url'),
    )
    if (!isSigned) throw new Error('the signature is wrong')
    const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<
      string,
      unknown
    >
    if (aud !== origin) throw new Error(`meant for ${String(aud)}`)
    const left = Number(exp) * 1_000 - Date.now()
    if (left <= 0 || left > 24 * 60 * 60_000) throw new Error('expired, or valid for more than a day')
    if (!/^(?:mailto:|https:)/.test(String(sub))) throw new Error('no contact')
    return key
  }

  const server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener)
  const address = options.address ?? '127.0.0.1'
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  const { port } = server.address() as AddressInfo
  origin = `${options.tls ? 'https' : 'http'}://${options.host ?? address}:${port}`
  return Object.assign(service, {
    url: origin,
    subscribe() {
      const local = createECDH('prime256v1')
      const p256dh = local.generateKeys('base64url')
      const auth = randomBytes(16).toString('base64url')
      const path = `/push/${randomBytes(8).toString('hex')}`
      subscriptions.set(path, { privateKey: local.getPrivateKey(), auth })
      return { endpoint: `${origin}${path}`, p256dh, auth }
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}
