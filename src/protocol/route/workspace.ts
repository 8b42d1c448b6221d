/** Routes for trusted folders and for Signalbox's tools. */

import { z } from 'zod'
import { MachineId } from '../id.js'
import { ToolInfo } from '../tool.js'
import { Timestamp } from '../value.js'
import { BASE, empty, Limit, type Route } from './shape.js'

export const Workspace = z.strictObject({
  machine: MachineId,
  path: z.string(),
  trustedAt: Timestamp,
  trustedBy: z.string(),
})
export type Workspace = z.infer<typeof Workspace>

export const workspaceRoutes = {
  listWorkspaces: {
    method: 'GET',
    path: `${BASE}/workspaces`,
    role: 'viewer',
    summary: 'List trusted folders: their settings, hooks and MCP servers are loaded',
    status: 200,
    query: z.strictObject({ limit: Limit.optional(), cursor: z.string().max(4_096).optional() }),
    reply: z.strictObject({ workspaces: z.array(Workspace), nextCursor: z.string().nullable() }),
  },
  trustWorkspace: {
    method: 'POST',
    path: `${BASE}/workspaces/trust`,
    role: 'admin',
    summary: 'Trust a folder and its subfolders',
    body: z.strictObject({ path: z.string().min(1).max(4_096) }),
    status: 200,
    reply: z.strictObject({ workspace: Workspace }),
  },
  distrustWorkspace: {
    method: 'POST',
    path: `${BASE}/workspaces/distrust`,
    role: 'admin',
    summary: 'Revoke the trust in a folder',
    body: z.strictObject({ path: z.string().min(1).max(4_096) }),
    status: 200,
    reply: empty,
  },
  listTools: {
    method: 'GET',
    path: `${BASE}/tools`,
    role: 'viewer',
    summary: 'List the tools that Signalbox offers to sessions besides those of Claude Code',
    query: z.strictObject({ limit: Limit.optional(), cursor: z.string().optional() }),
    status: 200,
    reply: z.strictObject({ tools: z.array(ToolInfo), nextCursor: z.string().nullable() }),
  },
} as const satisfies Record<string, Route>
