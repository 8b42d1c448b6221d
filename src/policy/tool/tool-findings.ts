/** What is found in a call of a tool. No findings: it only reads, and may be allowed by itself. */

import type { Finding } from '../finding.js'
import type { PathUse, ShellReport } from '../shell/shell-report.js'

export interface ToolFindings {
  findings: readonly Finding[]
  /** The files that it would touch, as far as they are named. */
  uses: readonly PathUse[]
  /** For a shell: what it would run. */
  shell: ShellReport | null
}
