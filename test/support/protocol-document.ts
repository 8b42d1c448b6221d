/** Generates docs/protocol.md from the schemas, so that the document always matches them. */

import { z } from 'zod'
import { DeltaDraft, EventDraft } from '../../src/protocol/event/event.js'
import { deltaExamples, type EventExample, eventExamples } from '../../src/protocol/example/event-example.js'
import { routeExamples } from '../../src/protocol/example/route-example.js'
import { SessionOptions } from '../../src/protocol/option/option.js'
import { OPTION_ROLES } from '../../src/protocol/option/option-role.js'
import { type Route, routes } from '../../src/protocol/route.js'
import { clientMessages, ServerMessage, WEB_SOCKET_PATH } from '../../src/protocol/web-socket.js'
import { nameOfShared, printJson, sharedValues } from './json-example.js'

type JsonSchema = {
  type?: string | string[]
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

Generated from the schemas in \`src/protocol/\` by \`npm run docs\`; a test checks that it is up to date. [errors.md](errors.md) lists the
errors, [roles.md](roles.md) the role of each field, and [concepts.md](concepts.md) defines the words.

## Events

\`\`\`json
{ "seq": 12, "id": "evt_…", "sessionId": "ses_…", "at": "2026-11-15T12:00:00.000Z", "type": "tool.ended", "data": {} }
\`\`\`

\`seq\` counts from 1 per session without a gap. For events of a subagent, \`agentId\` and \`parentToolUseId\` name it. Ignore types and fields
that you do not know: newer versions add some.

| type | meaning | data |
|---|---|---|
${EventDraft.options.map((option) => eventRow(option, eventExamples)).join('\n')}

An example of the data of each:

\`\`\`jsonc
${Object.entries(eventExamples).map(exampleLine).join('\n')}
\`\`\`

## Deltas

Pieces of text that is being written: no \`seq\`, no \`id\`, never stored. \`offset\` is the number of characters before the piece, so applying
a delta twice is idempotent.

| type | meaning | data |
|---|---|---|
${DeltaDraft.options.map((option) => eventRow(option, deltaExamples)).join('\n')}

\`\`\`jsonc
${Object.entries(deltaExamples).map(exampleLine).join('\n')}
\`\`\`

## States of a session

\`state\` in the snapshot is computed from the events (\`src/protocol/view/view.ts\`). Each change is also stored as \`session.changed\` with the
new \`state\`.

\`\`\`mermaid
${SESSION_STATES}
\`\`\`

- A pending request comes before a running turn. If several are pending, the oldest decides between \`permission\` and \`question\`.
- A request can outlive its turn: after a crash the turn has ended, the request is parked, and the state stays \`permission\` or \`question\`.
- \`isInterrupted\` is true after a turn with the stop reason \`crashed\` or \`daemon_restarted\`, until the next turn starts.

\`process\` says whether a CLI process is running, independently of the state:

\`\`\`mermaid
${PROCESS_STATES}
\`\`\`

## States of a request

\`state\` of a request is \`pending\` or \`resolved\`; \`isParked\` says that its process has exited (\`src/protocol/request.ts\`,
\`src/inbox/inbox.ts\`). The store refuses an event that does not start at the right state, so exactly one answer wins a race.

\`\`\`mermaid
${REQUEST_STATES}
\`\`\`

- A request is resolved once: by a user (\`person\`), a \`timeout\`, the \`terminal\`, or \`shutdown\` (an interrupt, the end of the session, a
  message that replaces the turn or continues without it).
- *Parked*: you can answer it. The answer starts a process that resumes the turn; the same call with the same input gets the answer.
- *Answered while parked*: the answer waits for the call. If the agent does not repeat the call, the answer lapses unused.
- Requests of terminals are never parked. \`isOnlyInTerminal\` is true until \`request.held\`, and again after \`request.released\`.

## HTTP

Send \`Authorization: Bearer TOKEN\`, or the cookie that \`POST /api/v1/login\` sets. Bodies are JSON; unknown fields are refused. The
credential determines \`via\`, from where something was done: a cookie is the dashboard, a token is a program (\`api\`). The header
\`Signalbox-Via: cli\` marks the command line; other values are ignored. Lists accept \`limit\` and \`cursor\` and return \`nextCursor\`. A page
of events or requests ends after about 1 MiB, even with fewer than \`limit\` items; the last page has a \`nextCursor\` of null. Every
response has an \`x-request-id\`.

Streams are server-sent events. \`id\` is the cursor: send it as \`Last-Event-ID\`, or as \`?after=\`, to resume. \`data\` is an event or a
delta. \`?deltas=0\` omits deltas, \`?type=\` selects event types. Without a cursor, a stream begins with new events. A message \`event: gap\`
with \`{ "after", "next" }\` means that the events between the two have been deleted. Backpressure: a client that does not read is
disconnected after half a minute, and misses nothing when it reconnects.

| route | role | effect | body, query |
|---|---|---|---|
${Object.values(routes as Record<string, Route>)
  .map(routeRow)
  .join('\n')}

### Examples

For each route a request and its response. \`SESSION\` and other words in capitals stand for the objects at the end of this section.

${Object.entries(routes as Record<string, Route>)
  .map(([name, route]) => routeExample(name, route))
  .join('\n\n')}

### Objects in the examples

${sharedValues.map(([name, value]) => `\`${name}\`:\n\n\`\`\`json\n${printJson(value)}\n\`\`\``).join('\n\n')}

## Session options

\`options\` in \`POST /api/v1/sessions\` and \`PATCH /api/v1/sessions/:id\`, \`defaults\` in [config.jsonc](configuration.md), and, in part, in
\`.signalbox.jsonc\`. Later layers override earlier ones: \`defaults\`, the workspace, the agent, the session. \`env\`, \`mcpServers\` and
\`agents\` are merged by name, and \`disallowedTools\` accumulate.

| option | type | role | meaning |
|---|---|---|---|
${Object.entries(OPTION_MEANINGS).map(optionRow).join('\n')}

## WebSocket

At \`${WEB_SOCKET_PATH}\`, with the token in the header or with the cookie. Every message is a JSON object with a \`type\`. A client message can
have an \`id\`, which its reply repeats.

| client message | role | effect | fields |
|---|---|---|---|
${Object.entries(clientMessages)
  .map(([type, { role, summary, body }]) => `| \`${type}\` | ${role} | ${summary} | ${fieldsOf(body)} |`)
  .join('\n')}

| server message | fields |
|---|---|
${ServerMessage.options.map(serverRow).join('\n')}

\`cursor\` is the point from which to resume: the \`seq\` in the session if you subscribed to one session, otherwise the position among all
events. A delta has none.
`
}

const SESSION_STATES = `stateDiagram-v2
  [*] --> idle: session.created
  idle --> working: turn.started
  working --> idle: turn.ended
  working --> permission: permission.requested
  working --> question: question.requested
  permission --> working: permission.resolved
  question --> working: question.resolved
  permission --> idle: permission.resolved, no turn
  question --> idle: question.resolved, no turn
  permission --> question: permission.resolved, a question is next
  question --> permission: question.resolved, a permission is next
  idle --> permission: permission.requested
  idle --> question: question.requested
  idle --> ended: session.ended
  working --> ended: session.ended
  permission --> ended: session.ended
  question --> ended: session.ended
  ended --> idle: session.changed (resume)`

const PROCESS_STATES = `stateDiagram-v2
  [*] --> none
  none --> live: a message, an answer or a continuation starts it
  live --> parked: idle for parkAfterMs, or its slot is needed
  parked --> live: the next message or answer
  live --> none: stop, crash, restart of the daemon
  parked --> none: stop, restart of the daemon`

const REQUEST_STATES = `stateDiagram-v2
  parked_resolved: answered while parked
  [*] --> pending: permission.requested, question.requested
  pending --> resolved: permission.resolved, question.resolved
  pending --> parked: request.parked (its process exited)
  parked --> pending: request.revived (the agent repeats the call)
  parked --> resolved: resolved by shutdown
  parked --> parked_resolved: resolved by a user or a timeout
  parked_resolved --> resolved: request.revived (the call gets the answer)
  parked_resolved --> resolved: request.lapsed (the answer is not used)
  resolved --> [*]`

/** One sentence per option. The compiler reports an option that is missing here. */
const OPTION_MEANINGS: Readonly<Record<keyof SessionOptions, string>> = {
  fallbackModel: 'Model to use when the first one is overloaded',
  maxTurns: 'Maximum number of steps in one turn',
  maxBudgetUsd: 'Stop when the cost reaches this amount, in USD',
  thinking: '`{ "type": "adaptive" }`, `{ "type": "enabled", "budgetTokens"? }` or `{ "type": "disabled" }`',
  maxThinkingTokens: 'Older form of `thinking`, in tokens; 0 disables it',
  effort: 'How much effort the model spends',
  additionalDirectories: 'Absolute paths of folders that the agent can use besides its workspace',
  tools: 'The built-in tools that exist at all; the preset `claude_code` is all of them',
  allowedTools: 'Tools that Claude Code itself does not ask for; the policy still checks every call',
  disallowedTools: 'Tools that are removed',
  agents:
    'Subagents that the agent can start, by name: `description`, `prompt`, `tools?`, `disallowedTools?`, `model?`',
  betas: 'Beta features of the API',
  systemPrompt: 'Replaces the system prompt of Claude Code; with `append`, extends it',
  settingSources:
    'Which settings of Claude Code are loaded: `user`, `project`, `local`. In an untrusted workspace: none',
  sandbox: 'Sandbox settings of Claude Code',
  outputFormat: '`{ "type": "json_schema", "schema" }`: the result as data of this schema',
  plugins: 'Local plugins: `{ "type": "local", "path" }`',
  env: 'Environment variables of the agent process; only names in `allowedVariables`',
  enableFileCheckpointing: 'Keep copies of files, so that `rewind` can restore them',
  mcpServers:
    'MCP servers by name: stdio (`command`, `args?`, `env?`, `cwd?`), `http` or `sse` (`url`, `headers?`)',
  configuredServers: 'Names of servers in `mcpServers` of `config.jsonc`',
}

function optionRow([name, meaning]: [string, string]): string {
  const properties = jsonOf(SessionOptions).properties ?? {}
  const role = OPTION_ROLES[name as keyof SessionOptions]
  return `| \`${name}\` | ${typeOf(properties[name] ?? {}) || 'text'} | ${role} | ${meaning} |`
}

function eventRow(
  option: z.ZodObject<{ type: z.ZodLiteral<string>; data: z.ZodObject }>,
  examples: Readonly<Record<string, EventExample<unknown>>>,
): string {
  const type = option.shape.type.value
  return `| \`${type}\` | ${examples[type]?.meaning} | ${fieldsOf(option.shape.data)} |`
}

function exampleLine([type, { data }]: [string, EventExample<unknown>]): string {
  return `// ${type}\n${printJson(data)}`
}

function routeExample(name: string, { method, path, status }: Route): string {
  // Each has the parts that its route has, which the compiler has checked one by one.
  const examples: Readonly<Record<string, Example>> = routeExamples
  const { params = {}, query = {}, body, reply } = examples[name] ?? { reply: undefined }
  const place = path.replaceAll(/:(\w+)/g, (_, key: string) => params[key] ?? '')
  const search = new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
  )
  const address = search.size > 0 ? `${place}?${search.toString()}` : place
  return [
    `\`${name}\``,
    '',
    '```jsonc',
    `// ${method} ${address}`,
    ...(body === undefined ? [] : [printJson(body, nameOfShared)]),
    `// ${status}`,
    typeof reply === 'string' ? reply.trim() : printJson(reply, nameOfShared),
    '```',
  ].join('\n')
}

interface Example {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>>
  body?: unknown
  reply: unknown
}

function serverRow(option: z.ZodObject<{ type: z.ZodLiteral<string> }>): string {
  const { type, ...fields } = option.shape
  return `| \`${type.value}\` | ${fieldsOf(z.object(fields))} |`
}

function routeRow({ method, path, role, stricter, steers, summary, body, query }: Route): string {
  const input = [body, query].flatMap((schema) => (schema ? [fieldsOf(schema)] : [])).join('; ')
  const more = [
    stricter ? `; ${stricter.role} if ${stricter.when}` : '',
    steers ? '; admin if the session runs in bypassPermissions' : '',
  ].join('')
  return `| \`${method} ${path}\` | ${role ?? 'none'}${more} | ${summary} | ${input} |`
}

function fieldsOf(schema: z.ZodType): string {
  const json = jsonOf(schema)
  const shapes = json.anyOf ?? json.oneOf ?? [json]
  return shapes.map(fieldsOfShape).join(' or ')
}

function jsonOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) as JsonSchema
}

function fieldsOfShape({ properties = {}, required = [] }: JsonSchema): string {
  return Object.entries(properties)
    .map(([name, schema]) => `\`${name}${required.includes(name) ? '' : '?'}\` ${typeOf(schema)}`.trim())
    .join(', ')
}

/** The codes of errors are the only longer list; they have a document of their own. */
const MAX_CHOICES = 30

/** Short enough for a table. Plain text is the default and has no name. */
function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum && schema.enum.length > MAX_CHOICES) return 'a code of [errors.md](errors.md)'
  if (schema.enum) return schema.enum.map(String).join(' / ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) {
    const kinds = choices.map(typeOf).map((kind) => kind || 'text')
    return [...new Set(kinds)].join(' / ')
  }
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }) || 'text').join(' / ')
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
