/** The HTTP API as data: the server, the client and the tests are built from this table. */

import type { z } from 'zod'
import { changeRoutes } from './route/change.js'
import { composeRoutes } from './route/compose.js'
import { accessRoutes } from './route/credential.js'
import { eventRoutes } from './route/event.js'
import { notificationRoutes } from './route/notification.js'
import { policyRoutes } from './route/policy.js'
import { requestRoutes } from './route/request.js'
import { serverRoutes } from './route/server.js'
import { sessionRoutes } from './route/session.js'
import { terminalRoutes } from './route/terminal.js'
import { workspaceRoutes } from './route/workspace.js'
import { worktreeRoutes } from './route/worktree.js'

export { About } from './route/server.js'
export type { Route, Steered } from './route/shape.js'
export { Workspace } from './route/workspace.js'

export const routes = {
  ...sessionRoutes,
  ...changeRoutes,
  ...worktreeRoutes,
  ...eventRoutes,
  ...requestRoutes,
  ...policyRoutes,
  ...terminalRoutes,
  ...workspaceRoutes,
  ...composeRoutes,
  ...accessRoutes,
  ...notificationRoutes,
  ...serverRoutes,
} as const

export type Routes = typeof routes
export type RouteName = keyof Routes

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined
type Given<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined
type Part<Name extends RouteName, Key extends string> =
  Routes[Name] extends Record<Key, infer Value> ? Value : undefined

/** A request as a handler gets it, validated. */
export interface RouteInput<Name extends RouteName> {
  params: Parsed<Part<Name, 'params'>>
  query: Parsed<Part<Name, 'query'>>
  body: Parsed<Part<Name, 'body'>>
}

/** A request as a client passes it. Parts that the route does not have, or does not require, are left out. */
export type RouteRequest<Name extends RouteName> = {
  [Key in PartName as Need<Name, Key> extends 'must' ? Key : never]: Given<Part<Name, Key>>
} & {
  [Key in PartName as Need<Name, Key> extends 'may' ? Key : never]?: Given<Part<Name, Key>>
}

type PartName = 'params' | 'query' | 'body'
type Need<Name extends RouteName, Key extends PartName> =
  Part<Name, Key> extends z.ZodType
    ? Key extends 'query'
      ? object extends Given<Part<Name, Key>>
        ? 'may'
        : 'must'
      : 'must'
    : 'not'

export type RouteReply<Name extends RouteName> = Parsed<Part<Name, 'reply'>>
