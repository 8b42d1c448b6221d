/** Orders to an agent that runs without asking: they are as good as its freedom, so they need the same right. */

import type { Hub } from '../../hub/port.js'
import type { CreateSession } from '../../protocol/api-body.js'
import { HubError } from '../../protocol/error.js'
import { isAtLeast } from '../../protocol/role-rank.js'
import type { Steered } from '../../protocol/route.js'
import type { PermissionMode } from '../../protocol/value.js'
import { requireRole } from './authorize.js'
import type { Identity } from './credentials.js'

export interface Order {
  /** Of the session or the request that it is about. */
  id: string | undefined
  body: unknown
}

export async function requireAdminForBypass(
  hub: Hub,
  identity: Identity,
  steered: Steered,
  order: Order,
): Promise<void> {
  if (isAtLeast(identity.role, 'admin')) return
  if (steered === 'request') await requireForFreer(hub, identity, order)
  const modes = await modesBehind(hub, steered, order)
  if (modes.includes('bypassPermissions')) requireRole(identity, 'admin', ` if ${IN_BYPASS_MODE}`)
}

/** A called agent runs as freely as it is configured to. Where that is freer than its caller, an operator may only deny. */
async function requireForFreer(hub: Hub, identity: Identity, { id = '', body }: Order): Promise<void> {
  const request = await ifThere(hub.inbox.request(id))
  const { decision } = (body ?? {}) as { decision?: string }
  if (request?.freerMode === undefined || decision === 'deny') return
  requireRole(identity, 'admin', ` to start an agent in the less restrictive mode ${request.freerMode}`)
}

export const IN_BYPASS_MODE = 'the session runs in bypassPermissions'

/** The modes in which the command would be executed. None for a missing session or request: the route reports that. */
async function modesBehind(hub: Hub, steered: Steered, { id = '', body }: Order): Promise<PermissionMode[]> {
  switch (steered) {
    case 'new session':
      return [await hub.startMode(body as CreateSession)] // The route has checked it.
    case 'session':
      return modeOf(hub, id)
    case 'session settings':
      return isHarmless(body) ? [] : modeOf(hub, id)
    case 'request': {
      const request = await ifThere(hub.inbox.request(id))
      // A plan is approved with the mode to go on in.
      return [...chosenIn(body), ...(request ? await modeOf(hub, request.sessionId) : [])]
    }
  }
}

async function modeOf(hub: Hub, sessionId: string): Promise<PermissionMode[]> {
  const session = await ifThere(hub.session(sessionId))
  return session ? [session.permissionMode] : []
}

/** A new title or mode does not steer the agent. Whether the user may choose that mode is checked separately. */
function isHarmless(body: unknown): boolean {
  const names = Object.keys(body ?? {})
  return names.length > 0 && names.every((name) => name === 'title' || name === 'permissionMode')
}

function chosenIn(body: unknown): PermissionMode[] {
  const { mode } = (body ?? {}) as { mode?: PermissionMode }
  return mode === undefined ? [] : [mode]
}

async function ifThere<Thing>(thing: Promise<Thing>): Promise<Thing | null> {
  try {
    return await thing
  } catch (error) {
    if (error instanceof HubError) return null
    throw error
  }
}
