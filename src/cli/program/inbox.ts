/** The commands that answer what waits for a person. */

import { type CommandGroup, HOME, JSON_OUT } from './group.js'

export const inboxCommands: CommandGroup = {
  names: ['inbox', 'allow', 'deny', 'answer'],
  add(program, { terminal, finish }) {
    program
      .command('inbox')
      .description('list what waits for a person')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/inbox.js')).inbox(options, terminal)))

    program
      .command('allow')
      .description('allow what a request asks for')
      .argument('<request>')
      .option('--all', 'and do not ask for these again in this session')
      .option('--until <time>', 'and do not ask for these again before 18:00, or another time')
      .option('--input <json>', 'with this input instead')
      .option('--mode <mode>', 'for a plan: the permission mode to go on in')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/inbox.js')).allow(id, options, terminal)),
      )

    program
      .command('deny')
      .description('deny what a request asks for')
      .argument('<request>')
      .option('--message <text>', 'what the agent is told')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/inbox.js')).deny(id, options, terminal)),
      )

    program
      .command('answer')
      .description('answer any request: a question with a value for each part, a form with name=value')
      .argument('<request>')
      .argument('[value...]', 'what to answer; asked for here if left out')
      .option(
        '--note <text>',
        'a note to the answer; once for each part',
        (text, notes) => [...notes, text],
        [] as string[],
      )
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, values, options) =>
        finish((await import('../command/inbox.js')).answer(id, values, options, terminal)),
      )
  },
}
