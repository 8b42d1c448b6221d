/** The terminal as the commands see it: what people read, what programs read, and colours only where they are seen. */

import { createInterface } from 'node:readline/promises'
import { createColors } from 'picocolors'

export interface Terminal {
  /** Results: what a program that calls this would read. */
  out(text: string): void
  /** Everything around them. */
  note(text: string): void
  json(value: unknown): void
  /** Whether a person can be asked here. */
  readonly isInteractive: boolean
  readonly color: ReturnType<typeof createColors>
  /** Asks for a line; rejects when `signal` aborts. */
  ask(question: string, signal: AbortSignal): Promise<string>
}

export function createTerminal(process: NodeJS.Process): Terminal {
  const { stdin, stdout, stderr, env } = process
  return {
    out: (text) => void stdout.write(text),
    note: (text) => void stderr.write(`${text}\n`),
    json: (value) => void stdout.write(`${JSON.stringify(value)}\n`),
    isInteractive: stdin.isTTY && stderr.isTTY,
    color: createColors(stderr.isTTY && !env['NO_COLOR']),
    async ask(question, signal) {
      const lines = createInterface({ input: stdin, output: stderr })
      try {
        return (await lines.question(question, { signal })).trim()
      } finally {
        lines.close()
      }
    },
  }
}
