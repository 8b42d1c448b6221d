/** What a verdict rests on: the call, where it happens, and what is found in it. */

import { BudgetUsedUp } from './budget.js'
import type { PolicyCall } from './call.js'
import { createWorld, type World } from './file/call-environment.js'
import { emptyFileSystem } from './file/file-system.js'
import { meteredFileSystem } from './file/metered-file-system.js'
import { isTooLong } from './file/path.js'
import type { Finding } from './finding.js'
import { judgeForeignTool } from './foreign-tool.js'
import { ask, TOO_MANY_STEPS } from './judge-path.js'
import { type Judged, judgeTool } from './judge-tool.js'
import type { Facts } from './match-rule.js'

/** Under a budget. */
export function factsOf(call: PolicyCall): Facts {
  const { cwd, home, workspace = cwd } = call
  if ([cwd, home, workspace].some(isTooLong)) return { call, world: NO_WORLD, judged: only(FOLDER_TOO_LONG) }
  const world = worldOf(call)
  return { call, world, judged: judgeSafely(call, world) }
}

export const NO_WORLD = createWorld({ cwd: '/nonexistent', home: '/nonexistent', fs: emptyFileSystem })
const FOLDER_TOO_LONG = ask('too-large', 'The path of the folder is too long.')

export function worldOf({ cwd, home, workspace, fs }: PolicyCall): World {
  return createWorld({ cwd, home, workspace, fs: meteredFileSystem(fs) })
}

function judgeSafely({ tool, input, isProgramTool }: PolicyCall, world: World): Judged {
  try {
    const judged = isProgramTool ? judgeForeignTool(tool, input, world) : judgeTool(tool, input, world)
    const unseen = unseenIn(world)
    return unseen === null ? judged : { ...judged, findings: [...judged.findings, unseen] }
  } catch (error) {
    if (error instanceof BudgetUsedUp) return only(TOO_MANY_STEPS)
    return only(ask('unreadable', 'The call cannot be read.'))
  }
}

/** What the file system could not answer is asked. Where only a right is missing, no command of the user sees more. */
function unseenIn({ fs }: World): Finding | null {
  const unseen = fs.unseen()
  if (unseen === null) return null
  const finding = ask('unknown-value', `What is at ${unseen.path} cannot be known.`)
  return { ...finding, isContained: unseen.isForbidden }
}

function only(finding: Finding): Judged {
  return { findings: [finding], uses: [], shell: null }
}
