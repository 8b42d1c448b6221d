/** The terminal as the commands see it: output for users, output for programs, and colours only where they are seen. */

import { createColors } from 'picocolors'
import { printable } from '../lib/text/printable.js'

export interface Terminal {
  /** Results: what a program that calls this would read. */
  out(text: string): void
  /** Everything around them. */
  note(text: string): void
  json(value: unknown): void
  /** Whether a user can be prompted here. */
  readonly isInteractive: boolean
  readonly color: ReturnType<typeof createColors>
  /** Asks for a line; null when there is no more input. Rejects when `signal` aborts. */
  ask(question: string, signal: AbortSignal): Promise<string | null>
}

const NOT_PENDING = 'The request is no longer pending.'

export function createTerminal(process: NodeJS.Process): Terminal {
  const { stdout, stderr, env } = process
  return {
    out: (text) => void stdout.write(stdout.isTTY ? printable(text) : text),
    note: (text) => void stderr.write(`${text}\n`),
    json: (value) => void stdout.write(`${JSON.stringify(value)}\n`),
    // Lazy: reading `process.stdin` opens it, and most commands do not prompt.
    get isInteractive() {
      return process.stdin.isTTY && stderr.isTTY
    },
    color: createColors(stderr.isTTY && !env['NO_COLOR']),
    async ask(question, signal) {
      const { createInterface } = await import('node:readline')
      // Race: another client may have answered meanwhile.
      if (signal.aborted) throw new Error(NOT_PENDING)
      const lines = createInterface({ input: process.stdin, output: stderr })
      return new Promise((resolve, reject) => {
        const end = (settle: () => void) => {
          settle()
          lines.close()
        }
        // While a line is being read the terminal does not send the signal; the command must hear of it all the same.
        lines.on('SIGINT', () => process.emit('SIGINT'))
        lines.on('close', () => resolve(null))
        signal.addEventListener('abort', () => end(() => reject(new Error(NOT_PENDING))), {
          once: true,
        })
        lines.question(question, (line) => end(() => resolve(line.trim())))
      })
    },
  }
}
