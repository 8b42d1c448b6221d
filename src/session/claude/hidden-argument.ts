/**
 * Keeps secrets out of argv, which every user of the machine can read: values that may contain one go through
 * a file that only its owner can read. Ids, and names of models, tools, agents and folders, stay in the
 * arguments.
 */

import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The CLI takes a file as well (2.1.325). In here: variables and headers of MCP servers; rules of permissions and the sandbox. */
const AS_FILE: ReadonlySet<string> = new Set(['--mcp-config', '--settings', '--managed-settings'])
/** The SDK (0.3.325) sends these in its first request over standard input too, and the CLI takes them from there. */
const LEFT_OUT: ReadonlySet<string> = new Set(['--json-schema'])

export interface HiddenArguments {
  args: string[]
  /** When the process has read them, or has ended. Idempotent. */
  forget(): void
}

export function hideArguments(args: readonly string[], folder: string): HiddenArguments {
  const files: string[] = []
  const hide = (value: string): string => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const file = join(folder, `argument-${randomUUID()}.json`)
    writeFileSync(file, value, { mode: 0o600, flag: 'wx' })
    files.push(file)
    return file
  }
  const hidden: string[] = []
  for (let at = 0; at < args.length; at += 1) {
    const { name, value: joined } = partsOf(args[at] ?? '')
    const isTaken = AS_FILE.has(name) || LEFT_OUT.has(name)
    const value = joined ?? (isTaken ? args[at + 1] : undefined)
    if (!isTaken || value === undefined) {
      hidden.push(args[at] ?? '')
      continue
    }
    if (AS_FILE.has(name)) hidden.push(name, hide(value))
    if (joined === undefined) at += 1
  }
  return {
    args: hidden,
    forget() {
      for (const file of files) rmSync(file, { force: true })
    },
  }
}

/** `--name=value`, or a name alone. */
function partsOf(argument: string): { name: string; value: string | undefined } {
  const place = argument.startsWith('--') ? argument.indexOf('=') : -1
  if (place < 0) return { name: argument, value: undefined }
  return { name: argument.slice(0, place), value: argument.slice(place + 1) }
}
