/** Workspaces that a session may not have because our own home is in them, or they are in it. */

import { HubError } from '../protocol/error.js'
import type { PermissionMode } from '../protocol/value.js'

/** The sample workspace of `demo` lies in the home, and is for work like any other. */
const SAMPLE = 'sample-workspace'

/**
 * In a workspace that contains the home, every call that could reach into it is denied. A session that runs
 * without asking is refused there: any program could reach into the home unseen.
 */
export function refuseOwnHome(cwd: string, mode: PermissionMode, homes: readonly string[]): void {
  const home = homes.find((one) => isInside(one, cwd) && !isInside(`${one}/${SAMPLE}`, cwd))
  if (home !== undefined) refuse(cwd, `${cwd} belongs to the home of Signalbox. Choose another folder.`)
  if (mode === 'bypassPermissions' && homes.some((one) => isInside(cwd, one)))
    refuse(
      cwd,
      `${cwd} contains the home of Signalbox, and a session in bypassPermissions mode could read its token. Choose another mode, or a folder that does not contain the home.`,
    )
}

function refuse(cwd: string, message: string): never {
  throw new HubError('workspace_not_allowed', message, { cwd })
}

function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}
