/** Commands that belong together. */

import type { Command } from 'commander'
import type { Terminal } from '../output/terminal.js'

export interface CommandGroup {
  /** Above its commands in the help. */
  readonly title: string
  /** Of the commands that `add` adds, so that it is known which group has one before any is made. */
  readonly names: readonly string[]
  add(program: Command, context: CommandContext): void
}

export interface CommandContext {
  terminal: Terminal
  /** Takes what a command came to. */
  finish(work: Promise<number>): Promise<void>
}

export const HOME = ['--home <folder>', 'data folder (default ~/.signalbox)'] as const
export const UTC = ['--utc', 'print times in UTC (default: local time)'] as const
export const YES = ['--yes', 'do not ask for confirmation'] as const
export const JSON_OUT = ['--json', 'print the result as JSON'] as const

/** Of the commands that show a log. */
export function withLogOptions(command: Command): Command {
  return command
    .option('-f, --follow', 'keep following until Ctrl-C')
    .option('-n, --lines <number>', 'number of newest lines (default 100; with --since: all)')
    .option('--since <time>', 'only since then: 30m, 12h, 7d, or a date and time')
    .option('--level <level>', 'error for errors only (default info)')
    .option(...HOME)
    .option(...UTC)
    .option('--json', 'print every entry as a line of JSON')
}
