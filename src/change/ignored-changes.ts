/** Ignored files that calls name: saved before the call, and compared after it. They are in no other snapshot. */

import type { BytePath } from './byte-path.js'
import type { OpenWorkspace } from './open-workspace.js'
import { findIgnored, type IgnoredFiles } from './snapshot/ignored-files.js'
import { statsAt } from './snapshot/inspect.js'
import { EMPTY_META, type Meta } from './snapshot/meta.js'
import { compareStates, isEmptyDifference } from './snapshot/state-diff.js'

interface Saved {
  files: readonly BytePath[]
  agentId?: string | undefined
  tree: string
  meta: Meta
}

export class IgnoredChanges {
  readonly #workspace: OpenWorkspace
  readonly #saved = new Map<string, Saved>()

  constructor(workspace: OpenWorkspace) {
    this.#workspace = workspace
  }

  find(paths: readonly BytePath[]): Promise<IgnoredFiles> {
    const { store, limits } = this.#workspace
    return findIgnored(store.git, store.workspace, paths, limits)
  }

  /** Before the call runs. */
  async save(toolUseId: string, paths: readonly BytePath[], agentId?: string): Promise<void> {
    if (paths.length === 0) return
    const { files } = await this.find(paths)
    if (files.length > 0) this.#saved.set(toolUseId, { files, agentId, ...(await this.#look(files)) })
  }

  /** After it: what changed of them is a change of the call. */
  async record(call: { sessionId: string; toolUseId: string; turnId: string | null }): Promise<void> {
    const saved = this.#saved.get(call.toolUseId)
    if (!saved) return
    this.#saved.delete(call.toolUseId)
    const { store, onChange } = this.#workspace
    const now = await this.#look(saved.files)
    const difference = await compareStates(store.trees, saved, now)
    if (isEmptyDifference(difference)) return
    const named = async (state: Omit<Saved, 'files'>) => ({
      ...state,
      metaId: await store.writeMeta(state.meta),
    })
    await onChange({
      calls: [{ ...call, agentId: saved.agentId, targets: null }],
      difference,
      between: { before: await named(saved), after: await named(now) },
      isWhole: true,
    })
  }

  async #look(files: readonly BytePath[]): Promise<Omit<Saved, 'files'>> {
    const { store } = this.#workspace
    const modes = new Map<BytePath, number>()
    const present = files.filter((path) => {
      const stats = statsAt(store.workspace, path)
      if (stats?.isFile()) modes.set(path, stats.mode & 0o7777)
      return stats?.isFile() || stats?.isSymbolicLink()
    })
    return { tree: await store.trees.ofFiles(present), meta: { ...EMPTY_META, modes } }
  }
}
