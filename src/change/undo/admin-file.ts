/** Files whose undo needs an admin: protected files, and files that decide what agents, tools and editors run. */

import { isProtectedFile } from '../../policy/file/protected.js'
import { isControlFile } from '../../policy/file/well-known-paths.js'
import { absoluteText, type BytePath } from '../byte-path.js'

/** Claude Code makes its worktrees in a folder that is for control files otherwise. */
const CLAUDE_WORKTREE = /^.*\/\.claude\/worktrees\/[^/]+(?=\/)/

/** The folder of the session may be one of control files itself. */
export function needsAdmin(cwd: string, path: BytePath): boolean {
  const whole = absoluteText(cwd, path)
  return isProtectedFile(whole) || isControlFile(whole.replace(CLAUDE_WORKTREE, ''))
}
