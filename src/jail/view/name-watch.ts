/**
 * Notices protected names that come and go while a command runs. A second look at the workspace finds what is there at the
 * end; a copy that an editor or another program makes and deletes again is gone by then. In a large workspace not every
 * folder is watched. It adds to the looks: where the system gives no more watches, they stay.
 */

import { type FSWatcher, watch } from 'node:fs'
import { basename } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { protectionOf } from '../../policy/file/protected.js'

/** Of one workspace. Watches are scarce on some systems, and editors need them too. */
export const MAX_WATCHED = 200
const MAX_WORKSPACES = 10

export interface NameWatches {
  /** Watches these folders of a workspace from now on, and no others. */
  keep(root: string, folders: readonly string[]): void
  /** Changes whenever a protected name has come or gone in one of them. */
  changes(root: string): Promise<number>
  /** Idempotent. */
  close(): void
}

interface Workspace {
  watchers: Map<string, FSWatcher>
  changes: number
}

export function createNameWatches(): NameWatches {
  const workspaces = new Map<string, Workspace>()

  function drop(root: string): void {
    for (const watcher of workspaces.get(root)?.watchers.values() ?? []) watcher.close()
    workspaces.delete(root)
  }

  function workspaceOf(root: string): Workspace {
    const known = workspaces.get(root)
    if (known !== undefined) return known
    const [oldest] = workspaces.keys()
    if (workspaces.size >= MAX_WORKSPACES && oldest !== undefined) drop(oldest)
    const fresh: Workspace = { watchers: new Map(), changes: 0 }
    workspaces.set(root, fresh)
    return fresh
  }

  return {
    keep(root, folders) {
      const workspace = workspaceOf(root)
      const wanted = new Set(folders.slice(0, MAX_WATCHED))
      for (const [folder, watcher] of workspace.watchers) {
        if (wanted.has(folder)) continue
        watcher.close()
        workspace.watchers.delete(folder)
      }
      for (const folder of wanted) {
        if (workspace.watchers.has(folder)) continue
        const watcher = watchNames(folder, (isGone) => {
          workspace.changes++
          // Another folder with this name is watched by the next look.
          if (isGone && workspace.watchers.delete(folder)) watcher?.close()
        })
        if (watcher !== null) workspace.watchers.set(folder, watcher)
      }
    },
    async changes(root) {
      // The kernel has queued all events before this call: they are read in the next turn at the latest.
      await nextTurn()
      await nextTurn()
      return workspaces.get(root)?.changes ?? 0
    },
    close() {
      for (const root of workspaces.keys()) drop(root)
    },
  }
}

/** Null if the folder is gone, or the system has no watches left. */
function watchNames(folder: string, onChange: (isGone: boolean) => void): FSWatcher | null {
  try {
    const watcher = watch(folder, { persistent: false }, (kind, name) => {
      if (kind !== 'rename') return
      // A folder that is deleted or moved reports its own name.
      const isGone = name === null || name === basename(folder)
      if (isGone || protectionOf(`${folder}/${name}`) !== null) onChange(isGone)
    })
    watcher.on('error', () => {})
    return watcher
  } catch {
    return null
  }
}
