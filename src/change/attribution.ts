/**
 * Attributes what changed between two looks at a workspace to the calls that ran in between. Pure. Files that may have been there
 * before, but were not recorded (`unseen`), are no change of a call: its undo would delete them.
 */

import type { BytePath } from './byte-path.js'
import type { State } from './snapshot/snapshot-store.js'
import type { FileDifference, StateDifference } from './snapshot/state-diff.js'

export interface RunningCall {
  readonly sessionId: string
  readonly turnId: string | null
  readonly toolUseId: string
  /** The subagent that makes it. */
  readonly agentId?: string | undefined
  /** The only files that it can change; null if it can change any. */
  readonly targets: ReadonlySet<BytePath> | null
  /** The tool has run; only hooks may still do something. */
  readonly hasRun?: boolean
  /** It has returned to the agent and runs on. */
  readonly isBackground?: boolean
  /** A whole turn of a session in a terminal. */
  readonly isTerminal?: boolean
  /** It is of a process that was killed: the first look ends it. */
  readonly isLeft?: boolean
}

export interface AttributedChange {
  /** Those that ran at that time and can have made it. */
  readonly calls: readonly RunningCall[]
  readonly difference: StateDifference
  /** The states that it lies between. Other changes may lie between them too, unless `isWhole`. */
  readonly between: { readonly before: State; readonly after: State }
  readonly isWhole: boolean
}

export function attribute(
  difference: StateDifference,
  between: AttributedChange['between'],
  running: readonly RunningCall[],
  unseen: ReadonlySet<BytePath> = new Set(),
): AttributedChange[] {
  const isUnseen = ({ path, before }: FileDifference) => before === null && unseen.has(path)
  const found = difference.files.filter(isUnseen).map(({ path }) => path)
  const left = [...new Set([...difference.left, ...found])]
  const groups = new Map<
    string,
    { calls: readonly RunningCall[]; files: FileDifference[]; folders: Folder[] }
  >()
  const groupOf = (path: BytePath) => {
    const calls = ownersOf(path, running)
    const key = calls.map(({ sessionId, toolUseId }) => `${sessionId} ${toolUseId}`).join(',')
    const group = groups.get(key) ?? { calls, files: [], folders: [] }
    groups.set(key, group)
    return group
  }
  for (const file of difference.files) if (!isUnseen(file)) groupOf(file.path).files.push(file)
  for (const folder of difference.folders) groupOf(folder.path).folders.push(folder)
  const isWhole = groups.size === 1 && found.length === 0
  return [...groups.values()]
    .filter(({ calls }) => calls.length > 0)
    .map(({ calls, files, folders }) => ({
      calls,
      difference: { files, folders, left },
      between,
      isWhole,
    }))
}

type Folder = StateDifference['folders'][number]

/** A call that names the file comes before one that may change any, and a call at work before one in the background. */
function ownersOf(path: BytePath, running: readonly RunningCall[]): readonly RunningCall[] {
  const possible = running.filter(({ targets }) => targets === null || targets.has(path))
  const atWork = possible.filter(({ isBackground }) => !isBackground)
  const exact = atWork.filter(({ targets }) => targets !== null)
  if (exact.length > 0) return exact
  return atWork.length > 0 ? atWork : possible
}
