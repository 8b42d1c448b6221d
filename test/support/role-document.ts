/** Generates docs/roles.md from the table of routes, so that the document always matches it. */

import type { FieldRoles } from '../../src/protocol/option/field-role.js'
import type { Role } from '../../src/protocol/role.js'
import { type Route, routes } from '../../src/protocol/route.js'
import { clientMessages } from '../../src/protocol/web-socket.js'
import { mcpTools } from '../../src/server/mcp/mcp-session.js'
import { fieldsOf } from './sample-body.js'

export function roleDocument(): string {
  const rows = [
    ...Object.values<Route>(routes).map((route) =>
      row(`${route.method} ${route.path}`, route.role, route.body, route.fields ?? {}, route.stricter),
    ),
    ...Object.entries(clientMessages).map(([type, { role, body, fields }]) =>
      row(`WebSocket ${type}`, role, body, fields),
    ),
  ]
  return `# Roles

Generated from the table of routes in \`src/protocol/\` by \`npm run docs\`; a test checks that it is up to date, and another sends every
field with every role to a real server (\`src/server/field-matrix.test.ts\`).

Each role includes the lesser ones: \`viewer\`, \`operator\`, \`admin\`. Routes without a role need no credential. Each field of a body has its
own role. A field without one requires an admin, so that new fields are closed by default. Every request that controls a session in
\`bypassPermissions\` mode also requires an admin. So do forking a session that has options for admins, and lifting a limit (\`tools\`,
\`maxTurns\`, \`maxBudgetUsd\`) that an admin has set on a session. [protocol.md](protocol.md#session-options) lists the session options.

A queued message runs in the mode of its turn, not in that of the moment when it was sent. An admin who sets \`bypassPermissions\` while
messages of others wait answers for them: they run without asking. The session lists them in a notice (\`queued_before_bypass\`);
cancel those that should not run, or interrupt the session.

| route | role | fields for viewers | fields for operators | fields for admins |
|---|---|---|---|---|
${rows.join('\n')}

Tools of the [MCP server](mcp.md) call these routes, with their checks. The token of the home counts as a \`viewer\` there.

| tool | route | role |
|---|---|---|
${mcpTools.map(toolRow).join('\n')}
`
}

function toolRow({ name, route, answers }: (typeof mcpTools)[number]): string {
  const { method, path, role }: Route = routes[route]
  const right = answers ? ' (a token created with `--mcp-answers`)' : ''
  return `| \`${name}\` | \`${method} ${path}\` | ${role ?? 'none'}${right} |`
}

function row(
  name: string,
  role: Role | null,
  body: Route['body'],
  roles: FieldRoles,
  stricter?: Route['stricter'],
): string {
  const fields = body ? fieldsOf(body, roles) : []
  const of = (wanted: Role) =>
    fields
      .filter((path) => (role === 'admin' ? 'admin' : (roleOf(roles, path) ?? 'viewer')) === wanted)
      .map((path) => `\`${path}\``)
  const values = stricter ? [`(${stricter.when})`] : []
  const cells = [of('viewer'), of('operator'), [...of('admin'), ...values]].map((list) => list.join(', '))
  return `| \`${name}\` | ${role ?? 'none'} | ${cells.join(' | ')} |`
}

function roleOf(roles: FieldRoles, path: string): Role | null {
  const found = path
    .split('.')
    .reduce<FieldRoles[string] | undefined>(
      (inner, name) => (typeof inner === 'object' && inner !== null ? inner[name] : undefined),
      roles,
    )
  return found === undefined || (typeof found === 'object' && found !== null) ? 'admin' : found
}
