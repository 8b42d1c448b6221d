/** The commands that review and undo what sessions changed. */

import { Argument } from 'commander'
import { type CommandGroup, HOME, JSON_OUT, YES } from './group.js'

export const changeCommands: CommandGroup = {
  title: 'Changes',
  names: ['diff', 'undo', 'comment', 'worktrees'],
  add(program, { terminal, finish }) {
    program
      .command('diff')
      .description('show what a session changed, as a patch')
      .argument('<id>')
      .option('--turn <number>', 'only this turn: its number, or "last"')
      .option('--call <id>', 'only this tool call')
      .option('--agent <id>', 'only this subagent')
      .option('--change <id>', 'only this change')
      .option('--file <file>', 'only this file')
      .option('--against <state>', 'compare the files now with the start of the session, or with head')
      .option('--stat', 'list the files with the number of changed lines')
      .option('--changes', 'list the changes: one for each call')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/change/diff.js')).diff(id, options, terminal)),
      )

    program
      .command('undo')
      .description('undo what a session changed; what others changed since stays')
      .argument('<id>')
      .option('--turn <number>', 'a turn: its number, or "last"')
      .option('--call <id>', 'a tool call')
      .option('--agent <id>', 'the changes of a subagent')
      .option('--change <id...>', 'one or more changes')
      .option('--to <message>', 'everything since before this message')
      .option('--all', 'all changes of the session')
      .option('--redo', 'redo: undo the last undo')
      .option('--file <file...>', 'only these files')
      .option('--background', 'also what changed while only background commands ran')
      .option('--preview', 'print what would change, without changing it')
      .option('--interrupt', 'interrupt sessions that work in the folder first')
      .option(...YES)
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/change/undo.js')).undo(id, options, terminal)),
      )

    program
      .command('comment')
      .description('send comments on lines of changed files to the agent, or list them')
      .argument('<id>')
      .argument('[words...]', 'pairs of FILE:LINE or FILE:LINE-LINE, and a text')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, words, options) =>
        finish((await import('../command/change/comment.js')).comment(id, words, options, terminal)),
      )

    program
      .command('worktrees')
      .description('list the worktrees of a repository, or do something with that of a session')
      .usage('[options] [<action> <id>]')
      .addArgument(
        new Argument('[action]', 'what to do with it').choices([
          'show',
          'commit',
          'merge',
          'rebase',
          'push',
          'remove',
        ]),
      )
      .argument('[id]', 'the session')
      .option('--cwd <folder>', 'a folder of the repository (default: the current one)')
      .option('--message <text>', 'message of a commit, or title of a pull request')
      .option('--pr', 'with push: open a pull request with gh')
      .option('--force', 'with remove: although changes or commits would be lost')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (action, id, options) =>
        finish((await import('../command/change/worktrees.js')).worktrees(action, id, options, terminal)),
      )
  },
}
