/** Names of files and folders on the machine of the agents. The rights of the user are checked before, by the hub. */

import type { FileMatches } from '../../protocol/compose/workspace-file.js'
import { HubError } from '../../protocol/error.js'
import { type FileQuery, FileSearch, type FileSearchDeps } from './file-search.js'
import { type FoundFolders, listFolders } from './folder-list.js'
import { createListedNames } from './listed-name.js'

export interface WorkspaceNamesDeps extends Omit<FileSearchDeps, 'listed'> {
  /** The home of Signalbox, under each of its names. */
  ownHomes: readonly string[]
}

/** Paths are real ones. */
export interface WorkspaceNames {
  files(query: FileQuery): Promise<FileMatches>
  folders(path: string): Promise<FoundFolders>
  close(): Promise<void>
}

export function createWorkspaceNames({ ownHomes, ...deps }: WorkspaceNamesDeps): WorkspaceNames {
  const listed = createListedNames(ownHomes)
  const search = new FileSearch({ ...deps, listed })
  const refuseUnlisted = (path: string) => {
    if (listed.hasPath(path)) return
    throw new HubError(
      'workspace_not_allowed',
      `${path} is not listed: it belongs to the home of Signalbox, to a protected folder or to the kernel. Choose another folder.`,
      { path },
    )
  }
  return {
    async files(query) {
      refuseUnlisted(query.folder)
      return search.search(query)
    },
    async folders(path) {
      refuseUnlisted(path)
      return listFolders(path, listed)
    },
    close: () => search.close(),
  }
}
