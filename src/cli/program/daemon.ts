/** The commands around the daemon itself, and around this machine. */

import { type CommandGroup, HOME, JSON_OUT, withLogOptions } from './group.js'

export const daemonCommands: CommandGroup = {
  title: 'Daemon',
  names: [
    'start',
    'demo',
    'runner',
    'open',
    'model',
    'doctor',
    'logs',
    'backup',
    'restore',
    'config',
    'completion',
    'complete',
  ],
  add(program, { terminal, finish }) {
    program
      .command('start')
      .description('run the daemon and the dashboard in the foreground')
      .option('--port <port>', 'port to listen on; 0 for any free one (default 4747)')
      .option(
        '--host <host>',
        'address to listen on (default 127.0.0.1); a non-loopback address needs TLS or a proxy',
      )
      .option(...HOME)
      .option('--scripted [file]', 'answer from a script instead of a model')
      .option(
        '--runner <place>',
        'where agents are driven: inside the daemon, or in an own process that outlives it (default inside)',
      )
      .option('--open', 'open the dashboard in the browser')
      .option('--json', 'print one line of JSON when ready')
      .action(async (options) => finish((await import('../command/start.js')).start(options, terminal)))

    program
      .command('demo')
      .description('start with the scripted model, running sessions and pending requests')
      .option('--port <port>', 'port to listen on; 0 for any free one (default 4747)')
      .option('--home <folder>', 'data folder (default: a temporary folder, deleted on exit)')
      .option('--open', 'open the dashboard in the browser')
      .option('--json', 'print one line of JSON when ready')
      .action(async (options) => finish((await import('../command/demo.js')).demo(options, terminal)))

    program
      .command('runner')
      .description('drive the agents of a home for its daemon; "start --runner own" starts it')
      .option(...HOME)
      .option('--scripted [file]', 'answer from a script instead of a model')
      .action(async (options) => finish((await import('../runner/runner.js')).runner(options)))

    program
      .command('open')
      .description('print a new one-time link to the dashboard')
      .option('--role <role>', 'viewer, operator or admin (default admin)')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/open.js')).open(options, terminal)))

    program
      .command('model')
      .description('run the scripted model alone')
      .option('--script <file>', 'script in YAML or JSON (default: the demo script)')
      .option('--port <port>', 'port to listen on; 0 for any free one', '0')
      .option('--json', 'print one line of JSON when ready')
      .action(async (options) => finish((await import('../command/model.js')).model(options, terminal)))

    program
      .command('doctor')
      .description('check the setup and suggest fixes')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/doctor.js')).doctor(options, terminal)))

    withLogOptions(program.command('logs'))
      .description('show what the daemon logged, or the messages between a session and Claude')
      .argument('[id]', 'session (default: the log of the daemon)')
      .action(async (id, options) => finish((await import('../command/logs.js')).logs(id, options, terminal)))

    program
      .command('backup')
      .description('write the data of a home to one file; the daemon may be running')
      .argument('<file>', 'created; must not exist yet')
      .option('--with-secrets', 'include the admin token')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (file, options) =>
        finish((await import('../command/backup.js')).backup(file, options, terminal)),
      )

    program
      .command('restore')
      .description('replace the data of a home with a backup; stop the daemon first')
      .argument('<file>', 'a file that "signalbox backup" wrote')
      .option(
        '--keep-tokens',
        'restore tokens, logins, trust and grants of the backup, including those revoked since',
      )
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (file, options) =>
        finish((await import('../command/backup.js')).restore(file, options, terminal)),
      )

    const config = program.command('config').description('show the settings')

    config
      .command('print')
      .description('print the effective settings')
      .option('--show-origin', 'also print the source of each')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) =>
        finish((await import('../command/config.js')).printConfig(options, terminal)),
      )

    program
      .command('completion')
      .description('print the completion script for a shell')
      .argument('<shell>', 'bash, zsh or fish')
      .action(async (shell) =>
        finish((await import('../command/completion.js')).completion(shell, program, terminal)),
      )

    program
      .command('complete', { hidden: true })
      .description('print the ids and names that a shell offers')
      .argument('<kind>', 'session, request, token, model, effort, mode or prompt')
      .argument('[word]', 'the word so far')
      .option(...HOME)
      .action(async (kind, word, options) =>
        finish((await import('../command/complete.js')).complete(kind, word, options, terminal)),
      )
  },
}
