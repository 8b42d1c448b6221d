/**
 * The client for requests to addresses that users configure. SSRF: only https, no redirects, and every address that a
 * name resolves to is checked before the connection, which goes to a checked address (DNS rebinding). Private addresses,
 * and plain http, only where the owner of the home has listed the address.
 */

import { lookup as systemLookup } from 'node:dns'
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { abortable } from '../abortable.js'
import { addressMatcher, isPublicAddress } from './address-range.js'

export interface OutboundRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
  /** For the whole exchange. */
  timeoutMs?: number
  /** Of the response. */
  maxBytes?: number
  /** The list of private addresses does not apply. */
  isPublicOnly?: boolean
  signal?: AbortSignal
}

export interface OutboundReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export type OutboundProblem =
  | 'url_invalid'
  | 'scheme_refused'
  | 'address_refused'
  | 'redirect_refused'
  | 'response_too_large'
  | 'timeout'
  | 'cancelled'
  | 'unreachable'

/** No response, or one that is not accepted. The message contains no part of the address but its host. */
export class OutboundError extends Error {
  readonly problem: OutboundProblem

  constructor(problem: OutboundProblem, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'OutboundError'
    this.problem = problem
  }
}

export interface GuardedClient {
  /** Resolves with any response but a redirect. Rejects with an `OutboundError`. */
  request(request: OutboundRequest): Promise<OutboundReply>
}

interface Address {
  address: string
  family: number
}

export interface GuardedClientOptions {
  /** Addresses and networks, as in `privateAddresses` of the configuration. */
  privateAddresses?: readonly string[]
  /** For tests: the resolver, which addresses count as public, and further certificate authorities. */
  resolve?: (host: string) => Promise<readonly Address[]>
  isPublic?: (address: string) => boolean
  ca?: string
}

const TIMEOUT_MS = 10_000
const MAX_BYTES = 256 * 1024

export function createGuardedClient(options: GuardedClientOptions = {}): GuardedClient {
  const { privateAddresses = [], resolve = resolveAll, isPublic = isPublicAddress, ca } = options
  const isListed = addressMatcher(privateAddresses)

  async function checkedAddresses(url: URL, isPublicOnly: boolean): Promise<Address[]> {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const family = isIP(host)
    const found = family === 0 ? await resolve(host) : [{ address: host, family }]
    if (found.length === 0) throw new OutboundError('unreachable', `The host ${host} has no address.`)
    const isPlain = url.protocol === 'http:'
    for (const { address } of found) {
      // Fail closed: a name with one forbidden address is refused, whichever would be chosen.
      const isFine = isPlain
        ? !isPublicOnly && isListed(address)
        : isPublic(address) || (!isPublicOnly && isListed(address))
      if (!isFine) throw new OutboundError('address_refused', refusal(host, isPlain, isPublicOnly))
    }
    return [...found]
  }

  return {
    async request(request) {
      const url = parseUrl(request.url)
      const { timeoutMs = TIMEOUT_MS, isPublicOnly = false, signal } = request
      const limit = new AbortController()
      const timer = setTimeout(() => limit.abort(), timeoutMs)
      const cancel = () => limit.abort()
      signal?.addEventListener('abort', cancel, { once: true })
      if (signal?.aborted) cancel()
      try {
        const addresses = await abortable(checkedAddresses(url, isPublicOnly), limit.signal)
        // Also where the connection ends without an error and without a response.
        const reply = exchange(url, request, addresses, {
          signal: limit.signal,
          ...(ca !== undefined && { ca }),
        })
        return await abortable(reply, limit.signal)
      } catch (error) {
        if (signal?.aborted)
          throw new OutboundError('cancelled', 'The request was cancelled.', { cause: error })
        if (limit.signal.aborted)
          throw new OutboundError('timeout', `No response from ${url.host} within ${timeoutMs} ms.`, {
            cause: error,
          })
        if (error instanceof OutboundError) throw error
        throw new OutboundError('unreachable', `Cannot reach ${url.host}: ${reasonOf(error)}`, {
          cause: error,
        })
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', cancel)
      }
    },
  }
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw new OutboundError('url_invalid', 'The address is not a URL.')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new OutboundError('scheme_refused', `The scheme ${url.protocol} is not supported. Use https.`)
  if (url.username !== '' || url.password !== '')
    throw new OutboundError(
      'url_invalid',
      'The address contains a user name or password. Use the token instead.',
    )
  return url
}

function exchange(
  url: URL,
  { method, headers = {}, body, maxBytes = MAX_BYTES }: OutboundRequest,
  addresses: readonly Address[],
  { signal, ca }: { signal: AbortSignal; ca?: string },
): Promise<OutboundReply> {
  const options: RequestOptions = {
    method,
    headers: {
      ...headers,
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    },
    lookup: only(addresses),
    agent: false,
    signal,
    ...(ca !== undefined && { ca }),
  }
  return new Promise((resolve, reject) => {
    const onResponse = (response: IncomingMessage) => {
      const { statusCode: status = 0, headers: replied } = response
      if (status >= 300 && status < 400) {
        response.destroy()
        reject(new OutboundError('redirect_refused', `${url.host} redirects, which is not followed.`))
        return
      }
      readBody(response, maxBytes).then(
        (content) => resolve({ status, headers: replied, body: content }),
        reject,
      )
    }
    const sent: ClientRequest =
      url.protocol === 'https:'
        ? httpsRequest(url, options, onResponse)
        : httpRequest(url, options, onResponse)
    sent.on('error', reject)
    // Switching protocols: without a listener Node ends the connection and reports nothing.
    sent.on('upgrade', (_, socket) => {
      socket.destroy()
      reject(new Error('it switches protocols'))
    })
    sent.end(body)
  })
}

/** The connection goes to an address that was checked; nothing is resolved a second time. */
function only(addresses: readonly Address[]): LookupFunction {
  return (_, options, callback) => {
    const [first] = addresses
    if (options.all) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family ?? 4)
  }
}

function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) {
        response.destroy()
        reject(new OutboundError('response_too_large', `The response is larger than ${maxBytes} bytes.`))
      } else chunks.push(chunk)
    })
    response.on('end', () => resolve(Buffer.concat(chunks)))
    response.on('error', reject)
    response.on('close', () => reject(new Error('the connection was closed')))
  })
}

function resolveAll(host: string): Promise<Address[]> {
  return new Promise((resolve, reject) =>
    systemLookup(host, { all: true, verbatim: true }, (error, found) =>
      error ? reject(error) : resolve(found),
    ),
  )
}

function refusal(host: string, isPlain: boolean, isPublicOnly: boolean): string {
  if (isPublicOnly) return `The address of ${host} is not public.`
  return isPlain
    ? `Plain http to ${host} is refused. Use https, or list its address in notifications.privateAddresses of config.jsonc.`
    : `The address of ${host} is private. List it in notifications.privateAddresses of config.jsonc to allow it.`
}

function reasonOf(error: unknown): string {
  const { code = '', message } = error as { code?: string; message?: string }
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/.test(code)) return `its certificate is not trusted (${code}).`
  return REASONS[code] ?? `${message ?? 'unknown error'}.`
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name cannot be resolved. Check the address.',
  EAI_AGAIN: 'its name cannot be resolved now.',
  ECONNREFUSED: 'the connection was refused.',
  ECONNRESET: 'the connection was closed.',
  EHOSTUNREACH: 'there is no route to it.',
  ENETUNREACH: 'there is no network.',
}
