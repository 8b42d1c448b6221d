/**
 * Which role may send which field: every role, every route and message, every field of its body, against a
 * real server.
 */

import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { ids, permissionRequested } from '../../test/support/build.js'
import { fieldsOf, sampleWith } from '../../test/support/sample-body.js'
import { createServedRuntime } from '../../test/support/served-runtime.js'
import { type FieldRoles, neededRole } from '../protocol/option/field-role.js'
import { Role } from '../protocol/role.js'
import { isAtLeast } from '../protocol/role-rank.js'
import { type Route, routes } from '../protocol/route.js'
import { clientMessages } from '../protocol/web-socket.js'

const withBody = Object.entries<Route>(routes).flatMap(([name, route]) =>
  route.body && route.reply !== null && route.role !== null ? [{ name, route, body: route.body }] : [],
)
const messages = Object.entries(clientMessages).map(([name, message]) => ({ name, ...message }))

/** The role that the table requires for a path; `undefined` where it has no entry. */
function listed(roles: FieldRoles, path: string): Role | null | FieldRoles | undefined {
  return path
    .split('.')
    .reduce<Role | null | FieldRoles | undefined>(
      (found, name) => (typeof found === 'object' && found !== null ? found[name] : undefined),
      roles,
    )
}

function pathsOf(roles: FieldRoles, prefix = ''): string[] {
  return Object.entries(roles).flatMap(([name, role]) =>
    typeof role === 'object' && role !== null ? pathsOf(role, `${prefix}${name}.`) : [`${prefix}${name}`],
  )
}

describe('every field has a role in the definition', () => {
  const open = Object.entries<Route>(routes).filter(([, { role, body }]) => role !== 'admin' && body)
  const tables = [
    ...open.map(([name, { body, fields }]) => ({ name, body, fields })),
    ...messages.map(({ name, body, fields }) => ({ name: `WebSocket ${name}`, body, fields })),
  ]
  test.each(tables)('$name', ({ body, fields = {} }) => {
    if (!body) throw new Error('It has a body.')
    const paths = fieldsOf(body, fields)
    const without = paths.filter((path) => listed(fields as FieldRoles, path) === undefined)
    const stale = pathsOf(fields as FieldRoles).filter((path) => !paths.includes(path))
    expect({ without, stale }).toEqual({ without: [], stale: [] })
  })
})

test('a field that is in no table needs an admin', () => {
  expect(neededRole({ colour: 'blue' }, {})).toEqual({ role: 'admin', field: 'colour' })
  expect(neededRole({ options: { colour: 1 } }, { options: { env: 'operator' } })).toEqual({
    role: 'admin',
    field: 'options.colour',
  })
  expect(neededRole({ constructor: 1, title: 'a' }, { title: null })).toEqual({
    role: 'admin',
    field: 'constructor',
  })
  expect(neededRole({ title: undefined }, {})).toBeNull()
})

async function setup() {
  const runtime = await createServedRuntime()
  const secrets = new Map<Role, string>()
  for (const role of Role.options) {
    secrets.set(role, (await runtime.access.createToken({ name: `the ${role}`, role })).secret)
  }
  const { id: session } = await runtime.createSession()
  const request = ids.next('per')
  await runtime.journal.append(session, [permissionRequested(request)])
  const other = await runtime.access.createToken({ name: 'another', role: 'viewer' })
  const path = (route: Route) =>
    route.path
      .replace(/(\/requests\/):id/, `$1${request}`)
      .replace(/(\/tokens\/):id/, `$1${other.token.id}`)
      .replace(':id', session)
      .replace(':messageId', ids.next('msg'))
      .replace(':taskId', 'task_1')
      // A name of its own each time: what an admin has saved is not for operators to replace.
      .replace(':name', ids.next('msg'))
  return { ...runtime, secrets, path }
}

describe('role by route by field', () => {
  test.each(withBody)('$name', async ({ route, body }) => {
    const { url, secrets, path } = await setup()
    const routeRole = route.role ?? 'viewer'
    const seen: [Role, string | null, string][] = []
    const expected: typeof seen = []
    for (const field of [null, ...fieldsOf(body, route.fields)]) {
      const sample = sampleWith(body, field)
      const byFields = routeRole === 'admin' ? null : neededRole(sample, route.fields ?? {})
      for (const role of Role.options) {
        const response = await fetch(`${url}${path(route)}`, {
          method: route.method,
          headers: {
            origin: url,
            authorization: `Bearer ${secrets.get(role)}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify(sample),
        })
        const { error } = (await response.json()) as { error?: { code: string } }
        const isRefused = error?.code === 'role_insufficient'
        seen.push([role, field, isRefused ? 'refused' : 'let through'])
        const isAllowed = isAtLeast(role, routeRole) && (!byFields || isAtLeast(role, byFields.role))
        expected.push([role, field, isAllowed ? 'let through' : 'refused'])
      }
    }
    expect(seen).toEqual(expected)
  })

  test.each(messages)('WebSocket $name', async ({ name, role: needed, body, fields }) => {
    const { url, secrets } = await setup()
    for (const role of Role.options) {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/ws`, {
        headers: { authorization: `Bearer ${secrets.get(role)}` },
      })
      onTestFinished(() => socket.terminate())
      await once(socket, 'open')
      for (const field of [null, ...fieldsOf(body, fields)]) {
        const sample = sampleWith(body, field) as object
        const answered = new Promise<string | undefined>((resolve) => {
          const listen = (data: Buffer) => {
            const message = JSON.parse(data.toString()) as { id?: string; error?: { code: string } }
            if (message.id !== 'tag') return
            socket.off('message', listen)
            resolve(message.error?.code)
          }
          socket.on('message', listen)
        })
        socket.send(JSON.stringify({ ...sample, type: name, id: 'tag' }))
        const byFields = neededRole(sample, fields)
        const isAllowed = isAtLeast(role, needed) && (!byFields || isAtLeast(role, byFields.role))
        expect([role, field, (await answered) === 'role_insufficient']).toEqual([role, field, !isAllowed])
      }
    }
  })
})
