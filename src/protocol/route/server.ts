/** Routes for the daemon. */

import { z } from 'zod'
import { JailStatus } from '../jail.js'
import { Role } from '../role.js'
import { StorageProblem } from '../storage.js'
import { Timestamp } from '../value.js'
import { BASE, type Route } from './shape.js'

export const About = z.strictObject({
  name: z.literal('signalbox'),
  version: z.string(),
  /** `scripted`: no account was found, so a script replaces the model. */
  model: z.enum(['scripted', 'account']),
  startedAt: Timestamp,
  pid: z.int(),
  home: z.string(),
  /** The address of the dashboard, as users reach it. */
  url: z.string(),
  /** Whether read-only commands can run in a jail on this machine. */
  jail: JailStatus,
  /** The command that reaches this daemon from any folder of its machine, to be followed by the words of a command. */
  command: z.string().optional(),
  /** A folder for trying things out. */
  sampleWorkspace: z.string().nullable(),
  /** Set while nothing can be stored. */
  storage: StorageProblem.nullable(),
  you: z.strictObject({ name: z.string(), role: Role }),
})
export type About = z.infer<typeof About>

export const serverRoutes = {
  about: {
    method: 'GET',
    path: `${BASE}/about`,
    role: 'viewer',
    summary: 'Get the version and status of the daemon, and the identity of the caller',
    status: 200,
    reply: z.strictObject({ about: About }),
  },
  health: {
    method: 'GET',
    path: '/healthz',
    role: null,
    summary: 'Liveness check: the process is running',
    status: 200,
    reply: z.strictObject({ status: z.literal('ok') }),
  },
  ready: {
    method: 'GET',
    path: '/readyz',
    role: null,
    summary: 'Readiness check: events can be stored and read',
    status: 200,
    reply: z.strictObject({ status: z.literal('ok') }),
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    role: 'viewer',
    summary: 'Metrics for Prometheus',
    status: 200,
    reply: z.string(),
    media: 'text/plain; version=0.0.4; charset=utf-8',
  },
  openApi: {
    method: 'GET',
    path: `${BASE}/openapi.json`,
    role: null,
    summary: 'This API as an OpenAPI document',
    status: 200,
    reply: z.record(z.string(), z.unknown()),
  },
} as const satisfies Record<string, Route>
