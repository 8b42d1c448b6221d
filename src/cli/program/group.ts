/** Commands that belong together. */

import type { Command } from 'commander'
import type { Terminal } from '../output/terminal.js'

export interface CommandGroup {
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
