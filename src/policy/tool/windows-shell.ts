/** A command for PowerShell: denies what is openly destructive, and asks about the rest. */

import { reason } from '../../protocol/reason/reason.js'
import type { CallEnvironment } from '../file/call-environment.js'
import { judgeWindowsText } from '../program/system/windows.js'
import { ShellInterpreter } from '../shell/interpreter.js'
import { tooLarge } from '../shell/limit.js'
import type { ShellReport } from '../shell/shell-report.js'
import { usedUp } from './judge-path.js'

export function readWindowsShell(text: string, environment: CallEnvironment): ShellReport {
  const context = new ShellInterpreter(environment, text)
  context.ask('code', reason('powershell.runs'), [0, text.length])
  const size = tooLarge(text)
  if (size !== null) context.ask('too-large', size, [0, 0])
  try {
    if (size === null) judgeWindowsText(context, text, [0, text.length])
  } catch (error) {
    context.findings.push(usedUp(error))
  }
  return { findings: context.findings, commands: [], uses: context.uses }
}
