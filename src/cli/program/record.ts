/** The commands that look at what was said, what was used and what there is. */

import { type CommandGroup, HOME, JSON_OUT } from './group.js'

export const recordCommands: CommandGroup = {
  names: ['search', 'usage', 'tools'],
  add(program, { terminal, finish }) {
    program
      .command('search')
      .description('find words in everything that people and agents said and did')
      .argument('<text...>', 'words; a phrase in quotes')
      .option('--session <id>', 'only in this session')
      .option('--limit <number>', 'at most so many (default 20)')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (text, options) =>
        finish((await import('../command/search.js')).search(text, options, terminal)),
      )

    program
      .command('usage')
      .description('show tokens and money')
      .option('--by <what>', 'day, session, model or project', 'day')
      .option('--since <date>', 'from this day on: 2026-11-01, or 7d for the last seven days')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/usage.js')).usage(options, terminal)))

    program
      .command('tools')
      .description('list our own tools, those of your files included')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/tools.js')).tools(options, terminal)))
  },
}
