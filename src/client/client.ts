/** The typed client, made from the table of routes. Runs in browsers and in Node. */

import { z } from 'zod'
import { ErrorBody, HubError } from '../protocol/error.js'
import { type Route, type RouteName, type RouteReply, type RouteRequest, routes } from '../protocol/route.js'
import type { Actor } from '../protocol/value.js'
import { type EventStreamOptions, followEvents, type StreamItem } from './event-stream.js'

export interface ClientOptions {
  /** The daemon's address. In its own page: empty. */
  url: string
  /** In a browser the cookie takes its place. */
  token?: string
  /** What this client is, as shown beside what is done with it. */
  via?: Actor['via']
  fetch?: typeof fetch
}

type CallableRoute = { [Name in RouteName]: RouteReply<Name> extends undefined ? never : Name }[RouteName]

/** A function for each route that answers at once. */
type Calls = {
  [Name in CallableRoute]: (
    ...request: keyof RouteRequest<Name> extends never ? [] : [RouteRequest<Name>]
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
    Object.entries(routes as Record<string, Route>)
      .filter(([, route]) => route.reply !== null)
      .map(([name, route]) => [name, (request: AnyRequest = {}) => call(options, route, request)]),
  )
  return {
    ...(calls as unknown as Calls), // Made from the same table as their types.
    events({ sessionId, deltas = true, types, ...follow } = {}) {
      const route = sessionId === undefined ? routes.streamAll : routes.streamSession
      const request = {
        ...(sessionId !== undefined && { params: { id: sessionId } }),
        query: { deltas: deltas ? '1' : '0', ...(types && { type: types.join(',') }) },
      }
      return followEvents((headers, signal) => send(options, route, request, { headers, signal }), follow)
    },
  }
}

type Plain = string | number | readonly string[] | undefined

interface AnyRequest {
  params?: Record<string, string>
  query?: Record<string, Plain>
  body?: unknown
}

async function call(options: ClientOptions, route: Route, request: AnyRequest): Promise<unknown> {
  const response = await send(options, route, request)
  return route.media === undefined ? response.json() : response.text()
}

/** Resolves with a response that is in order, and rejects with the server's error otherwise. */
async function send(
  { url, token, via, fetch: ask = fetch }: ClientOptions,
  route: Route,
  { params = {}, query = {}, body }: AnyRequest,
  extra: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  const hasBody = route.body !== undefined
  let response: Response
  try {
    response = await ask(`${url}${path}${search.size > 0 ? `?${search.toString()}` : ''}`, {
      method: route.method,
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
      'Signalbox does not answer. Start it with "signalbox start".',
      {},
      { cause },
    )
  }
  if (response.ok) return response
  throw await readError(response)
}

async function readError(response: Response): Promise<HubError> {
  const body: unknown = await response.json().catch(() => null)
  const known = ErrorBody.safeParse(body)
  if (known.success)
    return new HubError(known.data.error.code, known.data.error.message, known.data.error.details)
  const message = NewerError.safeParse(body).data?.error.message
  if (message !== undefined) return new HubError('internal_error', message)
  return new HubError(
    'daemon_unreachable',
    `What answers there is not Signalbox (status ${response.status}).`,
  )
}

/** A daemon of a later version may have errors that this client does not know. */
const NewerError = z.looseObject({ error: z.looseObject({ code: z.string(), message: z.string() }) })
