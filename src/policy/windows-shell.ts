/** A command for PowerShell: what destroys openly is found, the rest is asked. */

import { judgeWindowsText } from './command/windows.js'
import { tooLarge } from './shell/limit.js'
import type { ShellReport } from './shell/read-shell.js'
import { Reader } from './shell/reader.js'
import type { World } from './world.js'

export function readWindowsShell(text: string, world: World): ShellReport {
  const reader = new Reader(world, text)
  reader.ask('code', 'PowerShell runs commands.', [0, text.length])
  if (tooLarge(text) === null) judgeWindowsText(reader, text, [0, text.length])
  return { findings: reader.findings, commands: [], uses: reader.uses }
}
