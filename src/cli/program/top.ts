/** The live view in the terminal. */

import { type CommandGroup, HOME } from './group.js'

export const topCommands: CommandGroup = {
  title: 'Sessions',
  names: ['top'],
  add(program, { finish }) {
    program
      .command('top')
      .description('show sessions and requests live in the terminal, and answer with keys')
      .option(...HOME)
      .action(async (options) => finish((await import('../command/session/top.js')).top(options)))
  },
}
