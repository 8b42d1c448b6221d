#!/usr/bin/env node
/** The command line as a process: what is said to it, and how it ends. */

import { CommanderError } from 'commander'
import { HubError } from '../protocol/error.js'
import { readVersion } from '../version.js'
import { errorText } from './error-text.js'
import { EXIT, exitCodeOf } from './exit-code.js'
import { createTerminal } from './output/terminal.js'
import { hint } from './own-command.js'
import { createProgram } from './program.js'

const terminal = createTerminal(process)
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader such as `head` has seen enough.
  if (error.code === 'EPIPE') process.exit(EXIT.done)
  terminal.note(terminal.color.red(`The result could not be written: ${error.message}.`))
  process.exit(EXIT.failed)
})
// Nothing can be said about it there.
process.stderr.on('error', () => {})

// Without waiting at the top: a module that does cannot be loaded in the older, quicker way (scripts/bundle.mjs).
void run(withCommand(process.argv.slice(2)))
  .catch(report)
  .then(async (code) => {
    await Promise.all([written(process.stdout), written(process.stderr)])
    process.exit(code)
  })

/** `process.exit` drops what a slow reader of a pipe has not taken yet, and errors that are reported later. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => setImmediate(resolve))
  })
}

async function run(words: string[]): Promise<number> {
  let exitCode: number = EXIT.done
  // Without making all commands.
  if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
    terminal.out(`${readVersion()}\n`)
    return exitCode
  }
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
  terminal.note(terminal.color.red(hint(errorText(error))))
  if (!(error instanceof HubError) && error instanceof Error)
    terminal.note(terminal.color.dim(error.stack ?? ''))
  return exitCodeOf(error)
}
