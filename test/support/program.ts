/** The command line as it would be called, without a user at the terminal. */

import { createTerminal } from '../../src/cli/output/terminal.js'
import { createProgram } from '../../src/cli/program.js'

export function aProgram(called?: string): ReturnType<typeof createProgram> {
  return createProgram({ terminal: createTerminal(process), finish: async () => {} }, called)
}
