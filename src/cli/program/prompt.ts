/** The commands for saved prompts. */

import { type CommandGroup, HOME, JSON_OUT, UTC } from './group.js'

export const promptCommands: CommandGroup = {
  title: 'Sessions',
  names: ['prompts'],
  add(program, { terminal, finish }) {
    const prompts = program
      .command('prompts')
      .description('list, show, save and delete saved prompts; "run --prompt NAME" sends one')

    prompts
      .command('list', { isDefault: true })
      .description('list the saved prompts of this home')
      .option(...HOME)
      .option(...UTC)
      .option(...JSON_OUT)
      .action(async (options) =>
        finish((await import('../command/prompts.js')).listPrompts(options, terminal)),
      )

    prompts
      .command('show')
      .description('print the text of a saved prompt')
      .argument('<name>')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (name, options) =>
        finish((await import('../command/prompts.js')).showPrompt(name, options, terminal)),
      )

    prompts
      .command('save')
      .description('save a prompt under a name, or replace the one of this name')
      .argument('<name>', 'letters, digits and . _ -')
      .argument('[text...]', 'the prompt (default: standard input)')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (name, text, options) =>
        finish((await import('../command/prompts.js')).savePrompt(name, text, options, terminal)),
      )

    prompts
      .command('delete')
      .description('delete a saved prompt')
      .argument('<name>')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (name, options) =>
        finish((await import('../command/prompts.js')).deletePrompt(name, options, terminal)),
      )
  },
}
