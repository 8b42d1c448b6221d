/** A command for PowerShell: what destroys openly is found, the rest is asked. */

import type { World } from './file/call-environment.js'
import { usedUp } from './judge-path.js'
import { judgeWindowsText } from './program/system/windows.js'
import { Reader } from './shell/interpreter.js'
import { tooLarge } from './shell/limit.js'
import type { ShellReport } from './shell/read-shell.js'

export function readWindowsShell(text: string, world: World): ShellReport {
  const reader = new Reader(world, text)
  reader.ask('code', 'PowerShell runs commands.', [0, text.length])
  const size = tooLarge(text)
  if (size !== null) reader.ask('too-large', size, [0, 0])
  try {
    if (size === null) judgeWindowsText(reader, text, [0, text.length])
  } catch (error) {
    reader.findings.push(usedUp(error))
  }
  return { findings: reader.findings, commands: [], uses: reader.uses }
}
