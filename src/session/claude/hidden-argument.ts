/**
 * Keeps secrets out of argv, which every user of the machine can read: values that may contain one go through
 * a file that only its owner can read. Ids, and names of models, tools, agents and folders, stay in the
 * arguments.
 */

import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The CLI takes a file as well (2.1.325). In here: variables and headers of MCP servers; rules of permissions and the sandbox. */
const AS_FILE: ReadonlySet<string> = new Set(['--mcp-config', '--settings', '--managed-settings'])
/** The SDK (0.3.325) sends these in its first request over standard input too, and the CLI takes them from there. */
const LEFT_OUT: ReadonlySet<string> = new Set(['--json-schema'])

/** The arguments for the process. `folder` is private, and removed when the process has ended. */
export function hideArguments(args: readonly string[], folder: string): string[] {
  const hide = (value: string): string => {
    const file = join(folder, `argument-${randomUUID()}.json`)
    writeFileSync(file, value, { mode: 0o600, flag: 'wx' })
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
  return hidden
}

/** `--name=value`, or a name alone. */
function partsOf(argument: string): { name: string; value: string | undefined } {
  const place = argument.startsWith('--') ? argument.indexOf('=') : -1
  if (place < 0) return { name: argument, value: undefined }
  return { name: argument.slice(0, place), value: argument.slice(place + 1) }
}
