/** One call of a route, whichever way it came in: over HTTP, or as a tool of the MCP server. */

import { z } from 'zod'
import type { Hub } from '../hub/port.js'
import { HubError } from '../protocol/error.js'
import { anyRequestParams } from '../protocol/route/shape.js'
import type { Route } from '../protocol/route.js'
import { requireFields, requireRole } from './auth/authorize.js'
import { requireAdminForBypass } from './auth/bypass-sessions.js'
import type { Identity } from './auth/credentials.js'
import type { ViewerRedaction } from './auth/viewer-redaction.js'
import type { HandlerContext, Handlers } from './handler.js'
import { plainProblem } from './plain-problem.js'
import { whileStored } from './while-stored.js'

/** As it was sent. */
export interface GivenInput {
  params?: unknown
  query?: unknown
  body?: unknown
}

export interface CheckedInput {
  params: unknown
  query: unknown
  body: unknown
}

/** Checks shapes, the roles of fields, and orders to sessions. The role of the route itself was checked before. */
export async function checkedInput(
  hub: Hub,
  identity: Identity,
  route: Route,
  given: GivenInput,
): Promise<CheckedInput> {
  const input = {
    params: parse(route.params, given.params, 'path'),
    query: parse(route.query ?? NO_QUERY, given.query ?? {}, 'query'),
    body: route.body ? parse(route.body, given.body, 'body') : undefined,
  }
  if (route.role !== 'admin') requireFields(identity, input.body, route.fields ?? {})
  const { stricter } = route
  if (stricter?.applies(input.body)) requireRole(identity, stricter.role, ` where ${stricter.when}`)
  // Race: the name of a request is resolved once, so that the checked request and the answered one are the
  // same.
  if (route.params === anyRequestParams) input.params = await requestNamed(hub, input.params)
  if (route.steers) {
    const { id } = (input.params ?? {}) as { id?: string }
    await requireAdminForBypass(hub, identity, route.steers, { id, body: input.body })
  }
  return input
}

/** Runs the handler of a route. Rejects with `storage_unavailable` while nothing can be stored. */
export function handled(
  { handlers, hub }: { handlers: Handlers; hub: Hub },
  name: keyof Handlers,
  route: Route,
  input: CheckedInput,
  context: HandlerContext,
): Promise<unknown> {
  // The table gives each handler the input that its route has checked; the loop over all of them loses that connection.
  const handle = handlers[name] as (input: unknown, context: HandlerContext) => Promise<unknown>
  return whileStored(hub.storage, route, () => handle(input, context))
}

/** The reply as its reader may see it. */
export async function shownText(
  route: Route,
  reply: unknown,
  redaction: ViewerRedaction | null,
): Promise<string> {
  const shown = redaction ? redaction.whole(reply) : reply
  const whole = route.media === undefined ? JSON.stringify(shown) : String(shown)
  // An answer may repeat the values that its own request has sent.
  const hide = route.method === 'GET' ? redaction?.text : redaction?.echo
  return (await hide?.(whole)) ?? whole
}

const NO_QUERY = z.strictObject({})

function parse(schema: z.ZodType | undefined, value: unknown, part: string): unknown {
  if (!schema) return undefined
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const problems = z.flattenError(result.error)
  throw new HubError(
    'request_invalid',
    `The ${part} is invalid. ${z.prettifyError(result.error)}`,
    { part, ...problems },
    { plainText: plainProblem(part, schema, result.error) },
  )
}

async function requestNamed({ inbox }: Hub, params: unknown): Promise<{ id: string }> {
  const { id } = anyRequestParams.parse(params)
  return { id: (await inbox.find(id)).id }
}
