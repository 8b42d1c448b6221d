/** The commands that run the daemon as a service. */

import { type CommandGroup, HOME, JSON_OUT, withLogOptions } from './group.js'

const DRY_RUN = ['--dry-run', 'print what would change, without changing it'] as const

export const serviceCommands: CommandGroup = {
  title: 'Daemon',
  names: ['service'],
  add(program, { terminal, finish }) {
    const service = program
      .command('service')
      .description('run the daemon as a service of your user, started at login')

    service
      .command('install')
      .description('install the service and start it: a systemd user unit, or a launchd agent on macOS')
      .option(
        '--env <name>',
        'copy this variable to the environment file of the service; repeat for each',
        (name: string, names: string[] | undefined) => [...(names ?? []), name],
      )
      .option('--no-start', 'write the files only')
      .option('--restart', 'restart a service that is running')
      .option('--replace', 'replace a service file that was edited or is not ours, and keep a copy')
      .option(...DRY_RUN)
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/service.js')).install(options, terminal)))

    service
      .command('status')
      .description('show whether the service runs, and what is wrong with it')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/service.js')).status(options, terminal)))

    withLogOptions(service.command('logs'))
      .description('show what the service manager kept: the log of the daemon, and its starts and ends')
      .action(async (options) =>
        finish((await import('../command/service-logs.js')).serviceLogs(options, terminal)),
      )

    service
      .command('uninstall')
      .description('stop the service and remove what install wrote; stored work stays')
      .option(...DRY_RUN)
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/service.js')).uninstall(options, terminal)))
  },
}
