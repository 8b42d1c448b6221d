/** Which folders a user may look into: an operator those of work, an admin any. Viewers have no route that asks. */

import type { Bus } from '../../bus/port.js'
import { HubError } from '../../protocol/error.js'
import type { Authority } from '../../protocol/option/option-role.js'
import { isTrusted } from '../../protocol/workspace.js'
import type { Store } from '../../store/port.js'

export interface FolderRights {
  /** The real path of a folder that the user may look into. Rejects for every other. */
  folderFor(path: string, authority: Authority): Promise<string>
  /** The test for real paths, for several folders that are looked at together. */
  lookFor(authority: Authority): Promise<(path: string) => Promise<boolean>>
}

export function createFolderRights(store: Store, bus: Bus): FolderRights {
  const lookFor: FolderRights['lookFor'] = async (authority) => {
    if (isAdmin(authority)) return async () => true
    const trusted = await store.trustedWorkspaces()
    const isUsed = createUsedTest(store)
    return async (path) => isTrusted(path, trusted) || isUsed(path)
  }
  return {
    lookFor,
    async folderFor(path, authority) {
      const real = await bus.call({ type: 'workspace.find', path }).catch(unlessMissing)
      if (real === null && isAdmin(authority))
        throw new HubError(
          'workspace_not_found',
          `The folder ${JSON.stringify(path)} does not exist. Use the absolute path of an existing folder.`,
          { path },
        )
      const mayLook = await lookFor(authority)
      // The same error for a folder that does not exist: an operator learns nothing about other folders.
      if (real === null || !(await mayLook(real)))
        throw new HubError(
          'role_insufficient',
          `Only trusted folders and folders in which a session was started can be listed, with what is in them. Listing another requires the role admin. Your role is ${authority}.`,
          { needed: 'admin', role: authority },
        )
      return real
    },
  }
}

function isAdmin(authority: Authority): boolean {
  return authority === 'admin' || authority === 'owner'
}

function unlessMissing(error: unknown): null {
  if (error instanceof HubError && error.code === 'workspace_not_found') return null
  throw error
}

/** Workspaces are not deeper than this. Each level is a query. */
const MAX_DEPTH = 40

/**
 * Whether a managed session was started in the folder or in one above it. Sessions of terminals do not count: any program
 * of the user can write their lines. Each folder is asked for once.
 */
function createUsedTest(store: Store): (path: string) => Promise<boolean> {
  const known = new Map<string, boolean>()
  return async (path) => {
    const names = path.split('/').filter(Boolean).slice(0, MAX_DEPTH)
    for (let depth = 0; depth <= names.length; depth += 1) {
      const folder = `/${names.slice(0, depth).join('/')}`
      const isUsed = known.get(folder) ?? (await hasSession(store, folder))
      known.set(folder, isUsed)
      if (isUsed) return true
    }
    return false
  }
}

async function hasSession(store: Store, cwd: string): Promise<boolean> {
  return (await store.sessions({ kind: 'managed', cwd, limit: 1 })).length > 0
}
