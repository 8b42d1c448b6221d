#!/usr/bin/env node
/** The command line as a process: what is said to it, and how it ends. */

import { CommanderError } from 'commander'
import { HubError } from '../protocol/error.js'
import { EXIT, exitCodeOf } from './exit-code.js'
import { program, terminal, took } from './program.js'

// Without waiting at the top: a module that does can not be loaded in the older, quicker way (scripts/bundle.mjs).
void program
  .parseAsync(withCommand(process.argv.slice(2)), { from: 'user' })
  .then(() => took.exitCode, report)
  .then((code) => process.exit(code))

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
  terminal.note(terminal.color.red(message))
  if (!(error instanceof HubError) && error instanceof Error)
    terminal.note(terminal.color.dim(error.stack ?? ''))
  return exitCodeOf(error)
}
