/** The commands that search messages, sum usage and list tools. */

import { type CommandGroup, HOME, JSON_OUT, UTC } from './group.js'

export const recordCommands: CommandGroup = {
  title: 'Search and usage',
  names: ['search', 'usage', 'tools'],
  add(program, { terminal, finish }) {
    program
      .command('search')
      .description('search all messages and tool calls')
      .argument('<text...>', 'words; a phrase in quotes')
      .option('--session <id>', 'search only this session')
      .option('--folder <path>', 'search only sessions in this folder or below it')
      .option('--tool <name>', 'search only calls of this tool and their results')
      .option('--user <name>', 'search only messages of this user')
      .option('--since <date>', 'start date, such as 2026-11-01, or 7d for the last seven days')
      .option('--until <date>', 'only before this date')
      .option('--limit <number>', 'maximum number of results (default 20)')
      .option(...HOME)
      .option(...UTC)
      .option(...JSON_OUT)
      .action(async (text, options) =>
        finish((await import('../command/session/search.js')).search(text, options, terminal)),
      )

    program
      .command('usage')
      .description('show token usage and cost')
      .option('--by <what>', 'hour, day, session, model or project (default: day; for --today hour)')
      .option('--split <what>', 'divide each row again: by model or project')
      .option('--today', 'only today, by hour')
      .option('--week', 'only this week, from Monday')
      .option('--since <date>', 'start date, such as 2026-11-01, or 7d for the last seven days')
      .option('--until <date>', 'only before this date')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) =>
        finish((await import('../command/session/usage.js')).usage(options, terminal)),
      )

    program
      .command('tools')
      .description('list the tools of Signalbox, including those from your own files')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/tools.js')).tools(options, terminal)))
  },
}
