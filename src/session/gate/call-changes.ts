/** Which calls can change files, and what is recorded before they run. */

import { lstatSync } from 'node:fs'
import { bytePathOfText } from '../../change/byte-path.js'
import type { SessionChanges, WritingCall } from '../../change/session-changes.js'
import { EDIT_TOOLS } from '../../policy/tool/judge-tool.js'
import { ownTool } from '../../policy/tool/own-tool.js'
import type { SnapshotRef } from '../../protocol/change/change.js'
import { agentNameOf } from '../../protocol/tool.js'
import type { Judgeable } from './call-judge.js'

/** Tools of Claude Code (2.1.325) that change no file of a workspace. Calls of subagents are recorded one by one. */
const READERS: ReadonlySet<string> = new Set([
  'Read',
  'Glob',
  'Grep',
  'LS',
  'WebFetch',
  'WebSearch',
  'TodoWrite',
  'Task',
  'Agent',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskUpdate',
  'TaskOutput',
  'TaskStop',
  'BashOutput',
  'KillShell',
  'AskUserQuestion',
  'EnterPlanMode',
  'ExitPlanMode',
  'ListMcpResourcesTool',
  'ReadMcpResourceTool',
  'ToolSearch',
  'Skill',
  agentNameOf('agent_caller'),
])

type Call = Judgeable

export interface CallChanges {
  /** Says in the session what undo would not cover. Before a user is asked. */
  foresee(call: Call): Promise<void>
  /** Records the state before the call; null if it cannot write, or nothing is recorded. Before it runs. */
  before(call: Call, readsOnly: boolean): Promise<SnapshotRef | null>
}

export interface CallChangesDeps {
  changes: Pick<SessionChanges, 'foresee' | 'prepare' | 'before'> | null
  workspace: string
  /** Absolute paths that the call names to change. */
  changedPaths(call: Call): Promise<readonly string[]>
}

export function createCallChanges({ changes, workspace, changedPaths }: CallChangesDeps): CallChanges {
  async function describe(call: Call): Promise<WritingCall> {
    const paths = await changedPaths(call)
    const inside = paths.filter((path) => path === workspace || path.startsWith(`${workspace}/`))
    return {
      toolUseId: call.toolUseId,
      agentId: call.agentId,
      paths: inside.map((path) => bytePathOfText(path.slice(workspace.length + 1))),
      outside: paths.filter((path) => !inside.includes(path)),
      // An edit of a symlink changes the file that it leads to.
      isExact: EDIT_TOOLS.has(call.name) && paths.length > 0 && !paths.some(isSymlink),
    }
  }
  return {
    async foresee(call) {
      if (!changes || !canWrite(call.name)) return
      const writing = await describe(call)
      await changes.foresee(writing)
      changes.prepare(writing)
    },
    async before(call, readsOnly) {
      if (!changes || readsOnly || !canWrite(call.name)) return null
      return changes.before(await describe(call))
    },
  }
}

function isSymlink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
  } catch {
    return false // The call will fail, too.
  }
}

/** Fails closed: a tool that is not known may write. */
function canWrite(tool: string): boolean {
  const own = ownTool(tool)
  return !READERS.has(tool) && (own === null || own.kind === 'write')
}
