/** The commands about who may, and which folders are trusted. */

import { type CommandGroup, HOME, JSON_OUT } from './group.js'

export const accessCommands: CommandGroup = {
  names: ['trust', 'token'],
  add(program, { terminal, finish }) {
    program
      .command('trust')
      .description('trust a folder: its settings, hooks and MCP servers may act; without a folder, list them')
      .argument('[folder]')
      .option('--remove', 'take the trust back')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (folder, options) =>
        finish((await import('../command/trust.js')).trust(folder, options, terminal)),
      )

    const token = program.command('token').description('make, list and revoke tokens for programs and people')

    token
      .command('create')
      .description('make a token; its secret is printed this once')
      .argument('<name>', 'shown beside what is done with it')
      .option('--role <role>', 'viewer sees, operator answers and sends, admin may everything', 'operator')
      .option('--days <days>', 'how long it holds (default: until it is revoked)')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (name, options) =>
        finish((await import('../command/token.js')).createToken(name, options, terminal)),
      )

    token
      .command('list')
      .description('list tokens and browser logins')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/token.js')).listTokens(options, terminal)))

    token
      .command('revoke')
      .description('take a token or a browser login back; what it has open is closed')
      .argument('<token>', 'its name or id')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/token.js')).revokeToken(id, options, terminal)),
      )
  },
}
