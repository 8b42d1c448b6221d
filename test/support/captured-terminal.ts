/** A terminal of any width whose output is kept, or a pipe. */

import type { ReadStream } from 'node:tty'
import { createTerminal, type Terminal } from '../../src/cli/output/terminal.js'

export interface CapturedTerminal {
  terminal: Terminal
  stdout(): string
  stderr(): string
}

export function aTerminal(options: {
  /** Null: a pipe. */
  columns: number | null
  /** Of standard error, if it is not the same. */
  errorColumns?: number | null
  env?: Record<string, string>
  /** The keyboard. */
  stdin?: ReadStream
}): CapturedTerminal {
  const { columns, errorColumns = columns, env = {}, stdin = process.stdin } = options
  const written = { stdout: '', stderr: '' }
  const writer = (name: keyof typeof written, width: number | null) => ({
    write: (text: string) => {
      written[name] += text
    },
    isTTY: width !== null,
    columns: width ?? 0,
  })
  const terminal = createTerminal({
    stdin,
    stdout: writer('stdout', columns),
    stderr: writer('stderr', errorColumns),
    env,
  })
  return { terminal, stdout: () => written.stdout, stderr: () => written.stderr }
}
