/**
 * What may hold a secret does not stand in the arguments of a process, which everybody on the machine can read: it goes
 * by way of a file that only its owner can.
 */

import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Programs are started with the variables of MCP servers in here (SDK 0.3.325). The CLI takes a file as well. */
const SECRET_OPTION = '--mcp-config'

export interface HiddenArguments {
  args: string[]
  /** When the process has read them, or has ended. May be called twice. */
  forget(): void
}

export function hideArguments(args: readonly string[], folder: string): HiddenArguments {
  const place = args.indexOf(SECRET_OPTION)
  const value = place < 0 ? undefined : args[place + 1]
  if (value === undefined) return { args: [...args], forget() {} }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `servers-${randomUUID()}.json`)
  writeFileSync(file, value, { mode: 0o600, flag: 'wx' })
  return {
    args: args.map((argument, index) => (index === place + 1 ? file : argument)),
    forget: () => rmSync(file, { force: true }),
  }
}
