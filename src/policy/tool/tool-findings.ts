/** The findings about a tool call. Without findings it only reads, and the policy may allow it without asking. */

import type { Finding } from '../finding.js'
import type { PathUse, ShellReport } from '../shell/shell-report.js'

export interface ToolFindings {
  findings: readonly Finding[]
  /** The files that it would touch, as far as it names them. */
  uses: readonly PathUse[]
  /** For a shell: the commands that it would run. */
  shell: ShellReport | null
}
