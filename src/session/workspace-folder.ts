/** A folder that a user names as a workspace, on the machine of the agents. */

import { realpath, stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { HubError } from '../protocol/error.js'

/** The real path of a folder that exists. */
export async function findWorkspace(path: string): Promise<string> {
  const folder = isAbsolute(path) ? await stat(path).catch(() => null) : null
  if (folder?.isDirectory()) return realpath(path)
  throw new HubError(
    'workspace_not_found',
    `The folder ${JSON.stringify(path)} does not exist. Use the absolute path of an existing folder.`,
    { cwd: path },
  )
}
