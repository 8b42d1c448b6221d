/** The table of routes as an OpenAPI 3.1 document. */

import { z } from 'zod'
import { ErrorBody } from '../protocol/error-schema.js'
import { EventEnvelope } from '../protocol/event/event.js'
import { SessionOptions } from '../protocol/option/option.js'
import { InboxRequest } from '../protocol/request.js'
import { type Route, routes } from '../protocol/route.js'
import { Session } from '../protocol/session.js'
import { Token } from '../protocol/token.js'
import { readVersion } from '../version.js'
import { IN_BYPASS_MODE } from './auth/bypass-sessions.js'

type Json = Record<string, unknown>

/** Shapes with a name of their own in the document. */
const NAMED = {
  Session,
  Request: InboxRequest,
  Token,
  SessionOptions,
  Event: EventEnvelope,
  Error: ErrorBody,
}

export function openApiDocument(): Json {
  const names = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(NAMED)) names.add(schema, { id })
  const schemas: Json = {}
  const toSchema = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const {
      $schema: _,
      $defs = {},
      ...json
    } = z.toJSONSchema(schema, {
      metadata: names,
      io,
      unrepresentable: 'any',
    }) as Json & { $defs?: Json }
    Object.assign(schemas, pointToComponents($defs))
    return pointToComponents(json) as Json
  }
  // Named schemas are registered in their output form first.
  for (const schema of Object.values(NAMED)) toSchema(z.object({ schema }), 'output')

  const paths: Record<string, Json> = {}
  for (const [name, route] of Object.entries(routes as Record<string, Route>)) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(name, route, toSchema) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Signalbox',
      version: readVersion(),
      description: 'See, answer and steer every Claude Code agent session from one place.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { browser: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        browser: {
          type: 'apiKey',
          in: 'cookie',
          name: 'signalbox-4747',
          description: 'The cookie that POST /api/v1/login sets; its name ends with the port.',
        },
      },
    },
  }
}

type ToSchema = (schema: z.ZodType, io: 'input' | 'output') => Json

function operationOf(name: string, route: Route, toSchema: ToSchema): Json {
  const { role, stricter, steers, summary, params, query, body, status, reply, media } = route
  const who =
    role === null
      ? 'Needs no credential.'
      : `Requires the role ${role}${stricter ? `, or ${stricter.role} if ${stricter.when}` : ''}${steers ? `, or admin if ${IN_BYPASS_MODE}` : ''}.`
  const content =
    reply === null
      ? { 'text/event-stream': { schema: { type: 'string' } } }
      : { [media?.split(';')[0] ?? 'application/json']: { schema: toSchema(reply, 'output') } }
  return {
    operationId: name,
    summary,
    description: who,
    ...(role === null && { security: [] }),
    parameters: [...parametersOf(params, 'path', toSchema), ...parametersOf(query, 'query', toSchema)],
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: toSchema(body, 'input') } } },
    }),
    responses: {
      [status]: { description: summary, content },
      default: {
        description: 'The error: what happened, and the fix',
        content: { 'application/json': { schema: toSchema(ErrorBody, 'output') } },
      },
    },
  }
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query', toSchema: ToSchema): Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => ({
    name,
    in: place,
    required: place === 'path' || !(field as z.ZodType).safeParse(undefined).success,
    schema: parameterSchema(toSchema(field as z.ZodType, 'input')),
  }))
}

/** A number that comes as text is described as the number that it must be. */
function parameterSchema(schema: Json): Json {
  return Object.keys(schema).length === 0 ? { type: 'integer' } : schema
}

function pointToComponents(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointToComponents)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'id' || typeof (value as Json)['id'] !== 'string')
      .map(([key, part]) => [
        key,
        key === '$ref' ? String(part).replace('#/$defs/', '#/components/schemas/') : pointToComponents(part),
      ]),
  )
}
