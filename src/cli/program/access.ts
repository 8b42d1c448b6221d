/** The commands about who may, and which folders are trusted. */

import { type CommandGroup, HOME, JSON_OUT, UTC } from './group.js'

export const accessCommands: CommandGroup = {
  title: 'Trust and tokens',
  names: ['trust', 'token'],
  add(program, { terminal, finish }) {
    program
      .command('trust')
      .description(
        'trust a folder, so that its settings, hooks and MCP servers are loaded; without a folder, list the trusted ones',
      )
      .argument('[folder]')
      .option('--remove', 'revoke the trust')
      .option(...HOME)
      .option(...UTC)
      .option(...JSON_OUT)
      .action(async (folder, options) =>
        finish((await import('../command/policy/trust.js')).trust(folder, options, terminal)),
      )

    const token = program.command('token').description('create, list and revoke API tokens')

    token
      .command('create')
      .description('create a token; its secret is printed once and cannot be shown again')
      .argument('<name>', 'name of the token, shown in the audit')
      .option(
        '--role <role>',
        'viewer reads, operator answers and sends, admin can do everything',
        'operator',
      )
      .option('--days <days>', 'days until it expires (default: it does not expire)')
      .option('--user <user>', 'user that it belongs to')
      .option('--mcp-answers', 'an MCP client with it may answer requests (default: only see them)')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (name, options) =>
        finish((await import('../command/token.js')).createToken(name, options, terminal)),
      )

    token
      .command('list')
      .description('list tokens and browser logins')
      .option(...HOME)
      .option(...UTC)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/token.js')).listTokens(options, terminal)))

    token
      .command('revoke')
      .description('revoke a token or a browser login, and close its connections')
      .argument('<token>', 'its name or id')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/token.js')).revokeToken(id, options, terminal)),
      )
  },
}
