/** The commands that make terminals visible. */

import { type CommandGroup, HOME, JSON_OUT } from './group.js'

const DRY_RUN = ['--dry-run', 'only say what would be done'] as const
const SCOPE = ['--scope <scope>', 'user, project or local settings', 'user'] as const

export const lifecycleCommands: CommandGroup = {
  names: ['hooks', 'lifecycle'],
  add(program, { terminal, finish }) {
    const hooks = program.command('hooks').description('make terminal sessions of Claude Code visible')

    hooks
      .command('install')
      .description('install the lifecycle hook into the settings of Claude Code')
      .option(...SCOPE)
      .option('--plugin', 'as a plugin folder, without touching settings')
      .option('--no-remote', 'never answer requests of terminals from elsewhere')
      .option('--replace-old', 'remove hooks of an older installation (lifecycle-logger.sh)')
      .option(...DRY_RUN)
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/hooks.js')).install(options, terminal)))

    hooks
      .command('uninstall')
      .description('take the lifecycle hook out again')
      .option(...SCOPE)
      .option(...DRY_RUN)
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/hooks.js')).uninstall(options, terminal)))

    hooks
      .command('status')
      .description('tell what is installed, whether it fires, and what switches it off')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/hooks.js')).status(options, terminal)))

    const lifecycle = program
      .command('lifecycle')
      .description('list terminal sessions and their skills')
      .option(...JSON_OUT)
      .action(async (options) =>
        finish((await import('../command/lifecycle.js')).lifecycle(options, terminal)),
      )

    lifecycle
      .command('consume')
      .description('follow the lifecycle stream into the database, without the daemon')
      .option('--database <file>', 'where to (default: signalbox.db in the home)')
      .option('--once', 'store what is there, then stop')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (_, command) =>
        finish((await import('../command/lifecycle.js')).consume(command.optsWithGlobals(), terminal)),
      )

    lifecycle
      .command('rotate')
      .description('set the lifecycle stream aside; nothing in it is lost')
      .option(...JSON_OUT)
      .action(async (_, command) =>
        finish((await import('../command/lifecycle.js')).rotate(command.optsWithGlobals(), terminal)),
      )
  },
}
