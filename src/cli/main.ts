#!/usr/bin/env node
/** The command line. Each command is loaded when it is called, so that the others cost nothing. */

import { Command, CommanderError } from 'commander'
import { HubError } from '../protocol/error.js'
import { readVersion } from '../version.js'
import { EXIT, exitCodeOf } from './exit-code.js'
import { createTerminal } from './terminal.js'

const terminal = createTerminal(process)
const program = new Command('signalbox')
  .description('See, answer and steer every Claude Code agent session from one place')
  .version(readVersion())
  .exitOverride()

let exitCode: number = EXIT.done
const finish = async (work: Promise<number>) => {
  exitCode = await work
}

const HOME = ['--home <folder>', 'where data is kept (default ~/.signalbox)'] as const
const JSON_OUT = ['--json', 'print the result as JSON'] as const

program
  .command('start')
  .description('run the daemon and the dashboard in the foreground')
  .option('--port <port>', 'port to listen on; 0 for any free one (default 4747)')
  .option(
    '--host <host>',
    'address to listen on (default 127.0.0.1); another than loopback needs TLS or a proxy',
  )
  .option(...HOME)
  .option('--scripted [file]', 'answer from a script instead of a model')
  .option('--open', 'open the dashboard in the browser')
  .option('--json', 'print one line of JSON when ready')
  .action(async (options) => finish((await import('./command/start.js')).start(options, terminal)))

program
  .command('run')
  .description('send one prompt and follow it here')
  .argument('[prompt...]', 'what to do; standard input if left out')
  .option('--cwd <folder>', 'folder to work in (default: this one)')
  .option('--mode <mode>', 'permission mode')
  .option('--model <model>', 'model to use')
  .option('--session <id>', 'go on with this session')
  .option(...HOME)
  .option('--scripted [file]', 'answer from a script instead of a model')
  .option('--json', 'print every event as a line of JSON')
  .action(async (prompt, options) =>
    finish((await import('./command/run.js')).run(prompt, options, terminal)),
  )

program
  .command('sessions')
  .description('list sessions and what each is doing')
  .option('--all', 'ended ones too')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (options) => finish((await import('./command/session.js')).sessions(options, terminal)))

program
  .command('show')
  .description('show a session, or the life of each of its tool calls')
  .argument('<id>')
  .option('--tools', 'who judged each call, whom it waited for, how long each stage took')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (id, options) => finish((await import('./command/show.js')).show(id, options, terminal)))

program
  .command('send')
  .description('send a message to a session')
  .argument('<id>')
  .argument('<text...>')
  .option('--when-busy <choice>', 'inject into the running turn, queue for the next, or replace it')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (id, text, options) =>
    finish((await import('./command/session.js')).send(id, text, options, terminal)),
  )

for (const [name, action, description] of [
  ['interrupt', 'interruptSession', 'stop the running turn of a session'],
  ['stop', 'stopSession', 'end a session and every process of it'],
  ['resume', 'resumeSession', 'take up a session that has ended'],
] as const) {
  program
    .command(name)
    .description(description)
    .argument('<id>')
    .option(...HOME)
    .option(...JSON_OUT)
    .action(async (id, options) =>
      finish((await import('./command/session.js')).control(action, id, options, terminal)),
    )
}

program
  .command('inbox')
  .description('list what waits for a person')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (options) => finish((await import('./command/inbox.js')).inbox(options, terminal)))

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
  .action(async (id, options) => finish((await import('./command/inbox.js')).allow(id, options, terminal)))

program
  .command('deny')
  .description('deny what a request asks for')
  .argument('<request>')
  .option('--message <text>', 'what the agent is told')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (id, options) => finish((await import('./command/inbox.js')).deny(id, options, terminal)))

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
    finish((await import('./command/inbox.js')).answer(id, values, options, terminal)),
  )

const policy = program
  .command('policy')
  .description('see, try out and change what is allowed, denied and asked')

policy
  .command('show')
  .description('print the policy that holds')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (options) => finish((await import('./command/policy.js')).show(options, terminal)))

policy
  .command('check')
  .description('print what the policy says to a call, or to each of a list; nothing is run')
  .option('--tool <name>', 'the tool, such as Bash')
  .option('--input <json>', 'its input')
  .option('--file <file>', 'a JSON list of cases; prints one verdict a line ("-": standard input)')
  .option('--cwd <folder>', 'folder that the call would happen in (default: this one)')
  .option('--mode <mode>', 'permission mode')
  .option('--policy <policy>', 'careful, classic or a policy file, instead of the one that holds')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (options) => finish((await import('./command/policy-check.js')).check(options, terminal)))

policy
  .command('explain')
  .description('tell why a request is asked, and what it would do')
  .argument('<request>')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (id, options) => finish((await import('./command/policy.js')).explain(id, options, terminal)))

policy
  .command('backtest')
  .description('tell what another policy would have said to the recorded calls')
  .requiredOption('--policy <policy>', 'careful, classic or a policy file')
  .option('--since <time>', 'how far back: 7d, 12h, or a date and time (default 7d)')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (options) => finish((await import('./command/policy.js')).backtest(options, terminal)))

policy
  .command('rule')
  .description('make a rule from a request, and tell what else it would have changed')
  .argument('<request>')
  .option('--save', 'add it to the policy')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (id, options) =>
    finish((await import('./command/policy.js')).makeRule(id, options, terminal)),
  )

policy
  .command('grants')
  .description('list what was allowed for the rest of a session')
  .argument('<session>')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (id, options) => finish((await import('./command/policy.js')).grants(id, options, terminal)))

policy
  .command('revoke')
  .description('ask again for what was allowed for the rest of a session')
  .argument('<session>')
  .argument('<tool>')
  .argument('[command...]')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (id, tool, command, options) =>
    finish((await import('./command/policy.js')).revoke(id, tool, command, options, terminal)),
  )

const audit = program
  .command('audit')
  .description('list who decided what, and from where')
  .option('--limit <count>', 'how many of the newest', '50')
  .option('--session <id>', 'of one session')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (options) => finish((await import('./command/audit.js')).audit(options, terminal)))

audit
  .command('verify')
  .description('check that nothing in the audit was changed; works without the daemon too')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (_, command: Command) =>
    finish((await import('./command/audit.js')).verifyAudit(command.optsWithGlobals(), terminal)),
  )

program
  .command('tools')
  .description('list our own tools, those of your files included')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (options) => finish((await import('./command/tools.js')).tools(options, terminal)))

program
  .command('open')
  .description('print a new one-time link to the dashboard')
  .option('--role <role>', 'viewer, operator or admin (default admin)')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (options) => finish((await import('./command/open.js')).open(options, terminal)))

const token = program.command('token').description('make, list and revoke tokens for programs and people')
token
  .command('create')
  .description('make a token; its secret is printed this once')
  .argument('<name>', 'shown beside what is done with it')
  .option('--role <role>', 'viewer sees, operator answers and sends, admin may everything', 'operator')
  .option('--days <days>', 'how long it holds (default: until it is revoked)')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (name, options) =>
    finish((await import('./command/token.js')).createToken(name, options, terminal)),
  )
token
  .command('list')
  .description('list tokens and browser logins')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (options) => finish((await import('./command/token.js')).listTokens(options, terminal)))
token
  .command('revoke')
  .description('take a token or a browser login back; what it has open is closed')
  .argument('<token>', 'its name or id')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (id, options) =>
    finish((await import('./command/token.js')).revokeToken(id, options, terminal)),
  )

program
  .command('model')
  .description('run the scripted model alone')
  .option('--script <file>', 'script in YAML or JSON (default: the demo script)')
  .option('--port <port>', 'port to listen on; 0 for any free one', '0')
  .option('--json', 'print one line of JSON when ready')
  .action(async (options) => finish((await import('./command/model.js')).model(options, terminal)))

const SCOPE = ['--scope <scope>', 'user, project or local settings', 'user'] as const
const DRY_RUN = ['--dry-run', 'only say what would be done'] as const
const hooks = program.command('hooks').description('make terminal sessions of Claude Code visible')
hooks
  .command('install')
  .description('install the lifecycle hook into the settings of Claude Code')
  .option(...SCOPE)
  .option('--plugin', 'as a plugin folder, without touching settings')
  .option('--no-remote', 'never answer requests of terminals from elsewhere')
  .option(...DRY_RUN)
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (options) => finish((await import('./command/hooks.js')).install(options, terminal)))
hooks
  .command('uninstall')
  .description('take the lifecycle hook out again')
  .option(...SCOPE)
  .option(...DRY_RUN)
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (options) => finish((await import('./command/hooks.js')).uninstall(options, terminal)))
hooks
  .command('status')
  .description('tell what is installed, whether it fires, and what switches it off')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (options) => finish((await import('./command/hooks.js')).status(options, terminal)))

const lifecycle = program
  .command('lifecycle')
  .description('list terminal sessions and their skills')
  .option(...JSON_OUT)
  .action(async (options) => finish((await import('./command/lifecycle.js')).lifecycle(options, terminal)))
lifecycle
  .command('consume')
  .description('follow the lifecycle stream into the database, without the daemon')
  .option('--database <file>', 'where to (default: signalbox.db in the home)')
  .option('--once', 'store what is there, then stop')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (_, command) =>
    finish((await import('./command/lifecycle.js')).consume(command.optsWithGlobals(), terminal)),
  )
lifecycle
  .command('rotate')
  .description('set the lifecycle stream aside; nothing in it is lost')
  .option(...JSON_OUT)
  .action(async (_, command) =>
    finish((await import('./command/lifecycle.js')).rotate(command.optsWithGlobals(), terminal)),
  )

try {
  await program.parseAsync(withCommand(process.argv.slice(2)), { from: 'user' })
} catch (error) {
  exitCode = report(error)
}
process.exit(exitCode)

/** Without a command it is `start`. */
function withCommand(given: string[]): string[] {
  const [first] = given
  const isStart =
    first === undefined || (first.startsWith('-') && !['-h', '--help', '-V', '--version'].includes(first))
  return isStart ? ['start', ...given] : given
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  const message = error instanceof Error ? error.message : String(error)
  terminal.note(terminal.color.red(message))
  if (!(error instanceof HubError) && error instanceof Error)
    terminal.note(terminal.color.dim(error.stack ?? ''))
  return exitCodeOf(error)
}
