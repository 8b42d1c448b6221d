/** The commands that answer requests to the user. */

import { type CommandGroup, HOME, JSON_OUT, UTC, YES } from './group.js'

export const inboxCommands: CommandGroup = {
  title: 'Inbox',
  names: ['inbox', 'allow', 'deny', 'answer'],
  add(program, { terminal, finish }) {
    program
      .command('inbox')
      .description('list pending permission requests, questions and forms')
      .option('--follow', 'print requests as they come; on a terminal, answer them with a key')
      .option(...HOME)
      .option(...UTC)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/inbox.js')).inbox(options, terminal)))

    program
      .command('allow')
      .description('allow a request')
      .argument('<request>')
      .option('--all', 'allow similar calls for the rest of the session')
      .option('--until <time>', 'allow similar calls until this time, such as 18:00')
      .option('--input <json>', 'replace the input of the call')
      .option('--mode <mode>', 'for a plan: the permission mode to continue in')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/inbox.js')).allow(id, options, terminal)),
      )

    program
      .command('deny')
      .description('deny one or more requests')
      .argument('[request...]', 'requests')
      .option('--all', 'all pending requests')
      .option('--message <text>', 'reason, sent to the agent')
      .option(...YES)
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (ids, options) =>
        finish((await import('../command/session/several.js')).deny(ids, options, terminal)),
      )

    program
      .command('answer')
      .description('answer any request: a question with a value for each part, a form with name=value')
      .argument('<request>')
      .argument('[value...]', 'the answer; prompts for it if omitted')
      .option(
        '--note <text>',
        'note on the answer to a question, sent with it; repeat for each part',
        (text: string, notes: string[] | undefined) => [...(notes ?? []), text],
      )
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, values, options) =>
        finish((await import('../command/inbox.js')).answer(id, values, options, terminal)),
      )
  },
}
