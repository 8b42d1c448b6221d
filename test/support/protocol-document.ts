/** Writes docs/protocol.md from the schemas, so that it can not say anything else. */

import { z } from 'zod'
import { DeltaDraft, EventDraft } from '../../src/protocol/event.js'
import { type Route, routes } from '../../src/protocol/route.js'
import { clientMessages, ServerMessage, WEB_SOCKET_PATH } from '../../src/protocol/web-socket.js'

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
From where something was done (\`via\`) follows from the credential: a cookie is the dashboard, a token is a program (\`api\`). The
header \`Signalbox-Via: cli\` says that the program is the command line; other values are ignored.
Lists take \`limit\` and \`cursor\` and answer \`nextCursor\`. A page of events or requests ends after about 1 MiB, with fewer than \`limit\`
of them; it is the last one only where \`nextCursor\` is null. Every answer has an \`x-request-id\`.

Streams are server-sent events: \`id\` is where to go on from (send it back as \`Last-Event-ID\`, or as \`?after=\`), \`data\` is an
event or a fragment. \`?deltas=0\` leaves fragments out, \`?type=\` leaves only these types. Without a place to go on from, a
stream begins with what is new. A message \`event: gap\` with \`{ "after", "next" }\` says that events between the two are no
longer there. A reader that does not read is let go after half a minute, and misses nothing when it comes back.

| route | role | does | body, query |
|---|---|---|---|
${Object.values(routes as Record<string, Route>)
  .map(routeRow)
  .join('\n')}

## WebSocket

At \`${WEB_SOCKET_PATH}\`, with the token in the header or with the cookie. Every message is a JSON object with a \`type\`; what a
client sends may have an \`id\`, which comes back with the answer to it.

| a client sends | role | does | fields |
|---|---|---|---|
${Object.entries(clientMessages)
  .map(([type, { role, summary, body }]) => `| \`${type}\` | ${role} | ${summary} | ${fieldsOf(body)} |`)
  .join('\n')}

| the server sends | fields |
|---|---|
${ServerMessage.options.map(serverRow).join('\n')}

\`cursor\` is where to go on from: the number in the session where one is subscribed to, the position among all events
otherwise. A fragment has none.
`
}

function eventRow(option: z.ZodObject<{ type: z.ZodLiteral<string>; data: z.ZodObject }>): string {
  return `| \`${option.shape.type.value}\` | ${fieldsOf(option.shape.data)} |`
}

function serverRow(option: z.ZodObject<{ type: z.ZodLiteral<string> }>): string {
  const { type, ...fields } = option.shape
  return `| \`${type.value}\` | ${fieldsOf(z.object(fields))} |`
}

function routeRow({ method, path, role, stricter, steers, summary, body, query }: Route): string {
  const input = [body, query].flatMap((schema) => (schema ? [fieldsOf(schema)] : [])).join('; ')
  const more = [
    stricter ? `; ${stricter.role} where ${stricter.when}` : '',
    steers ? '; admin where the session runs without asking' : '',
  ].join('')
  return `| \`${method} ${path}\` | ${role ?? 'anybody'}${more} | ${summary} | ${input} |`
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
