/** Writes docs/protocol.md from the schemas, so that it can not say anything else. */

import { z } from 'zod'
import { DeltaDraft, EventDraft } from '../../src/protocol/event.js'
import { type Route, routes } from '../../src/protocol/route.js'

type JsonSchema = {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: JsonSchema | boolean
}

export function protocolDocument(): string {
  return `# Protocol

Written from the schemas in \`src/protocol/\` by \`npm run docs\`; a test keeps it in step. Errors are in
[errors.md](errors.md).

## Events

\`\`\`json
{ "seq": 12, "id": "evt_…", "sessionId": "ses_…", "at": "2026-11-15T12:00:00.000Z", "type": "tool.ended", "data": {} }
\`\`\`

\`seq\` counts from 1 per session without a gap. Where a subagent speaks, \`agentId\` and \`parentToolUseId\` say which.

| type | data |
|---|---|
${EventDraft.options.map(eventRow).join('\n')}

## Fragments

Passing pieces of what is being written: no \`seq\`, no \`id\`, never stored. \`offset\` counts the characters before them.

| type | data |
|---|---|
${DeltaDraft.options.map(eventRow).join('\n')}

## HTTP

\`Authorization: Bearer TOKEN\`, or the cookie that \`POST /api/v1/login\` gives. Bodies are JSON; unknown fields are refused.
Lists take \`limit\` and \`cursor\` and answer \`nextCursor\`. Every answer has an \`x-request-id\`.

Streams are server-sent events: \`id\` is where to go on from (send it back as \`Last-Event-ID\`, or as \`?after=\`), \`data\` is an
event or a fragment. \`?deltas=0\` leaves fragments out. Without a place to go on from, a stream begins with what is new.

| route | role | does | body, query |
|---|---|---|---|
${Object.values(routes as Record<string, Route>)
  .map(routeRow)
  .join('\n')}
`
}

function eventRow(option: z.ZodObject<{ type: z.ZodLiteral<string>; data: z.ZodObject }>): string {
  return `| \`${option.shape.type.value}\` | ${fieldsOf(option.shape.data)} |`
}

function routeRow({ method, path, role, summary, body, query }: Route): string {
  const input = [body, query].flatMap((schema) => (schema ? [fieldsOf(schema)] : [])).join('; ')
  return `| \`${method} ${path}\` | ${role ?? 'anybody'} | ${summary} | ${input} |`
}

function fieldsOf(schema: z.ZodType): string {
  const json = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) as JsonSchema
  const shapes = json.anyOf ?? json.oneOf ?? [json]
  return shapes.map(fieldsOfShape).join(' or ')
}

function fieldsOfShape({ properties = {}, required = [] }: JsonSchema): string {
  return Object.entries(properties)
    .map(([name, schema]) => `\`${name}${required.includes(name) ? '' : '?'}\` ${typeOf(schema)}`.trim())
    .join(', ')
}

/** In words short enough for a table; what is plain text is left unsaid. */
function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map(String).join(' / ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) {
    const kinds = choices.map(typeOf).map((kind) => kind || 'text')
    return kinds.join(' / ')
  }
  switch (schema.type) {
    case 'string':
      return ''
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return 'list'
    case 'object':
      return 'object'
    default:
      return schema.type ?? 'anything'
  }
}
