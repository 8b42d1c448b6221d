/** The typed client, made from the table of routes. Runs in browsers and in Node. */

import { errorCodes, HubError } from '../protocol/error.js'
import type { RouteName, RouteReply, RouteRequest } from '../protocol/route.js'
import { type Endpoint, endpoints } from './endpoint.js'
import { type ByteSource, type EventStreamOptions, followEvents, type StreamItem } from './event-stream.js'

export interface ClientOptions {
  /** The daemon's address. In its own page: empty. */
  url: string
  /** In a browser the cookie takes its place. */
  token?: string
  /** `cli`, `acp`: shown as the command line, or an editor, beside what is done with it. Every other client is a program, or the dashboard. */
  via?: 'cli' | 'acp' | 'api'
  fetch?: Fetch
}

/** The part of `fetch` that is needed here. */
export type Fetch = (url: string, init: FetchInit) => Promise<Reply>
export interface FetchInit {
  method: string
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal
}
export interface Reply extends Pick<Response, 'ok' | 'status' | 'text' | 'json'> {
  readonly body: ByteSource | null
}

type CallableRoute = { [Name in RouteName]: RouteReply<Name> extends undefined ? never : Name }[RouteName]

/** A function for each route that answers at once. */
type Calls = {
  [Name in CallableRoute]: (
    ...request: object extends RouteRequest<Name> ? [RouteRequest<Name>?] : [RouteRequest<Name>]
  ) => Promise<RouteReply<Name>>
}

export interface Client extends Calls {
  /** Events of one session or of all, with the fragments between them. */
  events(
    options?: EventStreamOptions & { sessionId?: string; deltas?: boolean; types?: readonly string[] },
  ): AsyncGenerator<StreamItem>
}

export function createClient(options: ClientOptions): Client {
  const calls = Object.fromEntries(
    Object.entries<Endpoint>(endpoints)
      .filter(([, endpoint]) => endpoint.reply !== 'events')
      .map(([name, endpoint]) => [name, (request: AnyRequest = {}) => call(options, endpoint, request)]),
  )
  return {
    ...(calls as unknown as Calls), // Made from the same table as their types.
    events({ sessionId, deltas = true, types, ...follow } = {}) {
      const endpoint = sessionId === undefined ? endpoints.streamAll : endpoints.streamSession
      const request = {
        ...(sessionId !== undefined && { params: { id: sessionId } }),
        query: { deltas: deltas ? '1' : '0', ...(types && { type: types.join(',') }) },
      }
      return followEvents((headers, signal) => send(options, endpoint, request, { headers, signal }), follow)
    },
  }
}

type Plain = string | number | readonly string[] | undefined

interface AnyRequest {
  params?: Record<string, string>
  query?: Record<string, Plain>
  body?: unknown
}

async function call(options: ClientOptions, endpoint: Endpoint, request: AnyRequest): Promise<unknown> {
  const response = await send(options, endpoint, request)
  return endpoint.reply === 'text' ? response.text() : response.json()
}

/** Resolves with a response that is in order, and rejects with the server's error otherwise. */
async function send(
  { url, token, via, fetch: ask = fetch }: ClientOptions,
  endpoint: Endpoint,
  { params = {}, query = {}, body }: AnyRequest,
  extra: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Reply> {
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  const { method, hasBody } = endpoint
  let response: Reply
  try {
    response = await ask(`${url}${path}${search.size > 0 ? `?${search.toString()}` : ''}`, {
      method,
      headers: {
        ...(hasBody && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(via !== undefined && { 'signalbox-via': via }),
        ...extra.headers,
      },
      ...(hasBody && { body: JSON.stringify(body ?? {}) }),
      ...(extra.signal && { signal: extra.signal }),
    })
  } catch (cause) {
    throw new HubError(
      'daemon_unreachable',
      'Cannot reach Signalbox. Start it with "signalbox start".',
      {},
      { cause },
    )
  }
  if (response.ok) return response
  throw await readError(response)
}

async function readError(response: Reply): Promise<HubError> {
  const body = (await response.json().catch(() => null)) as { error?: Loose } | null
  const { code, message, details } = body?.error ?? {}
  if (typeof code !== 'string' || typeof message !== 'string') {
    return new HubError(
      'daemon_unreachable',
      `The server at this address is not Signalbox (status ${response.status}). Check the URL.`,
    )
  }
  // A daemon of a later version may have errors that this client does not know.
  const known = errorCodes.find((one) => one === code)
  return new HubError(known ?? 'internal_error', message, typeof details === 'object' ? { ...details } : {})
}

type Loose = Readonly<Record<string, unknown>>
