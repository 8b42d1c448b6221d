/** The commands that make terminals visible. */

import { type CommandGroup, HOME, JSON_OUT, UTC } from './group.js'

const DRY_RUN = ['--dry-run', 'print what would change, without changing it'] as const
const SCOPE = ['--scope <scope>', 'which settings file: user, project or local', 'user'] as const

export const lifecycleCommands: CommandGroup = {
  title: 'Terminals',
  names: ['hooks', 'lifecycle'],
  add(program, { terminal, finish }) {
    const hooks = program
      .command('hooks')
      .description('show Claude Code sessions in terminals, through its hooks')

    hooks
      .command('install')
      .description('install the lifecycle hook into the settings of Claude Code')
      .option(...SCOPE)
      .option('--plugin', 'write a plugin folder instead of changing settings')
      .option('--no-remote', 'requests of terminals can be answered only in the terminal')
      .option('--replace-old', 'remove the hooks of an older installation (lifecycle-logger.sh)')
      .option(...DRY_RUN)
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/hooks.js')).install(options, terminal)))

    hooks
      .command('uninstall')
      .description('remove the lifecycle hook from the settings of Claude Code')
      .option(...SCOPE)
      .option(...DRY_RUN)
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/hooks.js')).uninstall(options, terminal)))

    hooks
      .command('status')
      .description('show what is installed, whether it fires, and what disables it')
      .option(...HOME)
      .option(...UTC)
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
      .description('store events of the lifecycle stream in a database, without the daemon')
      .option('--database <file>', 'database file (default: signalbox.db in the home)')
      .option('--once', 'store the events that are there, then exit')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (_, command) =>
        finish((await import('../command/lifecycle.js')).consume(command.optsWithGlobals(), terminal)),
      )

    lifecycle
      .command('rotate')
      .description('rotate the lifecycle stream; no event is lost')
      .option(...JSON_OUT)
      .action(async (_, command) =>
        finish((await import('../command/lifecycle.js')).rotate(command.optsWithGlobals(), terminal)),
      )
  },
}
