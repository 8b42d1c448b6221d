/** The simple commands of a call that a rule has to name. */

import type { ReadCommand } from '../shell/shell-report.js'
import type { ToolFindings } from '../tool/tool-findings.js'

/** The commands with findings. Without any, the policy asks because the whole text is not proven: all of them. */
export function askedCommands({ findings, shell }: ToolFindings): ReadCommand[] {
  const commands = shell?.commands ?? []
  const asked = new Set(findings.flatMap(({ command }) => (command === null ? [] : [command])))
  return asked.size === 0 ? [...commands] : commands.filter((_, index) => asked.has(index))
}
