/** The command that editors run. */

import { type CommandGroup, HOME } from './group.js'

export const acpCommands: CommandGroup = {
  title: 'Sessions',
  names: ['acp'],
  add(program, { finish }) {
    program
      .command('acp')
      .description(
        'serve sessions to an editor over the Agent Client Protocol (ACP), on standard input and output',
      )
      .option('--token-file <file>', 'use the token in this file instead of the token of the home')
      .option(...HOME)
      .option('--scripted [file]', 'answer from a script instead of a model')
      .action(async (options) => finish((await import('../command/acp.js')).acp(options)))
  },
}
