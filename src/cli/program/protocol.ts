/** The commands that speak the protocols of other products. */

import { type CommandGroup, HOME } from './group.js'

export const protocolCommands: CommandGroup = {
  title: 'Other products',
  names: ['mcp'],
  add(program, { finish }) {
    program
      .command('mcp')
      .description(
        'be an MCP server on standard input and output, for an assistant; it can only read, unless a token says more',
      )
      .option('--token-file <file>', 'file with the token to use (default: $SIGNALBOX_MCP_TOKEN)')
      .option(...HOME)
      .action(async (options) => finish((await import('../command/mcp.js')).mcp(options)))
  },
}
