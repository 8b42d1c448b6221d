#!/usr/bin/env node
/** The command line as a process: what is said to it, and how it ends. */

import { CommanderError } from 'commander'
import { HubError } from '../protocol/error.js'
import { EXIT, exitCodeOf } from './exit-code.js'
import { createTerminal } from './output/terminal.js'
import { hint } from './own-command.js'
import { createProgram } from './program.js'

const terminal = createTerminal(process)
// A reader such as `head` has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed),
)

// Without waiting at the top: a module that does cannot be loaded in the older, quicker way (scripts/bundle.mjs).
void run(withCommand(process.argv.slice(2)))
  .catch(report)
  .then((code) => process.exit(code))

async function run(words: string[]): Promise<number> {
  let exitCode: number = EXIT.done
  const finish = async (work: Promise<number>) => {
    exitCode = await work
  }
  await createProgram({ terminal, finish }, words[0]).parseAsync(words, { from: 'user' })
  return exitCode
}

/** Without a command it is `start`. */
function withCommand(given: string[]): string[] {
  const [first] = given
  const isStart =
    first === undefined || (first.startsWith('-') && !['-h', '--help', '-V', '--version'].includes(first))
  return isStart ? ['start', ...given] : given
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  const message = error instanceof Error ? error.message : String(error)
  terminal.note(terminal.color.red(hint(message)))
  if (!(error instanceof HubError) && error instanceof Error)
    terminal.note(terminal.color.dim(error.stack ?? ''))
  return exitCodeOf(error)
}
