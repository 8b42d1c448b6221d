/** The facts that a verdict is derived from: the call, its environment, and the findings. */

import { BudgetUsedUp } from '../lib/step-budget.js'
import { reason } from '../protocol/reason/reason.js'
import type { PolicyCall } from './call.js'
import { type CallEnvironment, createCallEnvironment } from './file/call-environment.js'
import { emptyFileSystem } from './file/file-system.js'
import { meteredFileSystem } from './file/metered-file-system.js'
import { isTooLong } from './file/path.js'
import type { Finding } from './finding.js'
import type { Facts } from './rule/match-rule.js'
import { judgeForeignTool } from './tool/foreign-tool.js'
import { ask, TOO_MANY_STEPS } from './tool/judge-path.js'
import { judgeTool } from './tool/judge-tool.js'
import type { ToolFindings } from './tool/tool-findings.js'

/** Must run under a budget. */
export function factsOf(call: PolicyCall): Facts {
  const { cwd, home, workspace = cwd } = call
  if ([cwd, home, workspace].some(isTooLong))
    return { call, environment: NO_ENVIRONMENT, judged: only(FOLDER_TOO_LONG) }
  const environment = environmentOf(call)
  return { call, environment, judged: judgeSafely(call, environment) }
}

export const NO_ENVIRONMENT = createCallEnvironment({
  cwd: '/nonexistent',
  home: '/nonexistent',
  fs: emptyFileSystem,
})
const FOLDER_TOO_LONG = ask('too-large', reason('tool.folder-too-long'))

export function environmentOf({ cwd, home, workspace, fs }: PolicyCall): CallEnvironment {
  return createCallEnvironment({ cwd, home, workspace, fs: meteredFileSystem(fs) })
}

function judgeSafely({ tool, input, isProgramTool }: PolicyCall, environment: CallEnvironment): ToolFindings {
  try {
    const judged = isProgramTool
      ? judgeForeignTool(tool, input, environment)
      : judgeTool(tool, input, environment)
    const unseen = unseenIn(environment)
    return unseen === null ? judged : { ...judged, findings: [...judged.findings, unseen] }
  } catch (error) {
    if (error instanceof BudgetUsedUp) return only(TOO_MANY_STEPS)
    return only(ask('unreadable', reason('tool.unreadable')))
  }
}

/**
 * The policy asks when the file system could not answer. If only permission is missing, no command of the user sees
 * more, so the jail contains it.
 */
function unseenIn({ fs }: CallEnvironment): Finding | null {
  const unseen = fs.unseen()
  if (unseen === null) return null
  const finding = ask('unknown-value', reason('file.unseen', { path: unseen.path }))
  return { ...finding, isContained: unseen.isForbidden }
}

function only(finding: Finding): ToolFindings {
  return { findings: [finding], uses: [], shell: null }
}
