/** All commands. Each is loaded when it is called, so that the others cost nothing. */

import { Command } from 'commander'
import { readVersion } from '../version.js'
import { EXIT } from './exit-code.js'
import { createTerminal } from './terminal.js'

export const terminal = createTerminal(process)
export const program = new Command('signalbox')
  .description('See, answer and steer every Claude Code agent session from one place')
  .version(readVersion())
  .exitOverride()

/** What the command that was called came to. */
export const took: { exitCode: number } = { exitCode: EXIT.done }
const finish = async (work: Promise<number>) => {
  took.exitCode = await work
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
  .command('demo')
  .description('start on the scripted model, with sessions at work and something to answer')
  .option('--port <port>', 'port to listen on; 0 for any free one (default 4747)')
  .option('--home <folder>', 'where data is kept (default: a folder that is forgotten afterwards)')
  .option('--open', 'open the dashboard in the browser')
  .option('--json', 'print one line of JSON when ready')
  .action(async (options) => finish((await import('./command/demo.js')).demo(options, terminal)))

program
  .command('run')
  .description('send one prompt and follow it here')
  .argument('[prompt...]', 'what to do; standard input if left out')
  .option('--cwd <folder>', 'folder to work in (default: this one)')
  .option('--mode <mode>', 'permission mode')
  .option('--model <model>', 'model to use')
  .option('--session <id>', 'go on with this session')
  .option('--max-turns <number>', 'stop after so many steps')
  .option('--budget <usd>', 'stop when it has cost so much')
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
  .option('--state <state>', 'only those that are idle, working, permission, question or ended')
  .option('--kind <kind>', 'only managed or observed ones')
  .option('--cwd <folder>', 'only those of this folder')
  .option('--search <text>', 'only those with this in their title, folder or last prompt')
  .option('--limit <number>', 'at most so many (default 100)')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (options) => finish((await import('./command/session.js')).sessions(options, terminal)))

program
  .command('show')
  .description('show a session: what it is, what it is doing, and the end of its conversation')
  .argument('<id>')
  .option('--lines <number>', 'how much of the conversation', '20')
  .option('--tools', 'instead, who judged each tool call, whom it waited for, how long each stage took')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (id, options) => finish((await import('./command/show.js')).show(id, options, terminal)))

program
  .command('watch')
  .description('follow all sessions, or one, as things happen')
  .argument('[id]')
  .option('--after <place>', 'from this place on; 0 for all from the beginning')
  .option('--type <types>', 'only events of these types, with commas')
  .option(...HOME)
  .option('--json', 'print every event as a line of JSON')
  .action(async (id, options) => finish((await import('./command/watch.js')).watch(id, options, terminal)))

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

program
  .command('interrupt')
  .description('stop the running turn of a session')
  .argument('<id>')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (id, options) =>
    finish((await import('./command/session.js')).interrupt(id, options, terminal)),
  )

program
  .command('stop')
  .description('end a session and every process of it')
  .argument('<id>')
  .option('--reason <text>', 'what is written into its log')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (id, options) => finish((await import('./command/session.js')).stop(id, options, terminal)))

program
  .command('resume')
  .description('take up a session that has ended, or a conversation that was begun in a terminal')
  .argument('<id>', 'a session, or Claude’s id of a conversation')
  .option('--at <message>', 'go on from this message and forget what came after')
  .option('--continue', 'go on with a turn that was cut off')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (id, options) => finish((await import('./command/session.js')).resume(id, options, terminal)))

program
  .command('fork')
  .description('make a new session with a copy of the conversation')
  .argument('<id>')
  .option('--at <message>', 'only up to this message')
  .option('--title <title>', 'a title of its own')
  .option('--prompt <text>', 'and send it this')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (id, options) => finish((await import('./command/session.js')).fork(id, options, terminal)))

program
  .command('rewind')
  .description('put files back to how they were before a message')
  .argument('<id>')
  .requiredOption('--to <message>', 'the message')
  .option('--dry-run', 'only say what would be done')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (id, options) => finish((await import('./command/session.js')).rewind(id, options, terminal)))

program
  .command('rename')
  .description('give a session a title')
  .argument('<id>')
  .argument('<title...>')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (id, title, options) =>
    finish((await import('./command/session.js')).rename(id, title, options, terminal)),
  )

program
  .command('set')
  .description('change a session, also while it works')
  .argument('<id>')
  .option('--mode <mode>', 'permission mode')
  .option('--model <model>', 'model to use')
  .option('--effort <effort>', 'low, medium, high, xhigh or max')
  .option('--title <title>', 'title')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (id, options) => finish((await import('./command/session.js')).set(id, options, terminal)))

program
  .command('delete')
  .description('stop a session and forget it with all its events')
  .argument('<id>')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (id, options) => finish((await import('./command/session.js')).remove(id, options, terminal)))

program
  .command('tasks')
  .description('list the background tasks and agents of a session, or stop one')
  .argument('<id>')
  .argument('[stop]', 'the word stop')
  .argument('[task]', 'which one')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (id, word, task, options) =>
    finish((await import('./command/session.js')).tasks(id, word, task, options, terminal)),
  )

program
  .command('export')
  .description('write a session to standard output')
  .argument('<id>')
  .option('--format <format>', 'md to read, json for all in one, jsonl for an event a line', 'md')
  .option(...HOME)
  .action(async (id, options) =>
    finish((await import('./command/export.js')).exportSession(id, options, terminal)),
  )

program
  .command('search')
  .description('find words in everything that people and agents said and did')
  .argument('<text...>', 'words; a phrase in quotes')
  .option('--session <id>', 'only in this session')
  .option('--limit <number>', 'at most so many (default 20)')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (text, options) =>
    finish((await import('./command/search.js')).search(text, options, terminal)),
  )

program
  .command('usage')
  .description('show tokens and money')
  .option('--by <what>', 'day, session, model or project', 'day')
  .option('--since <date>', 'from this day on: 2026-11-01, or 7d for the last seven days')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (options) => finish((await import('./command/usage.js')).usage(options, terminal)))

program
  .command('trust')
  .description('trust a folder: its settings, hooks and MCP servers may act; without a folder, list them')
  .argument('[folder]')
  .option('--remove', 'take the trust back')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (folder, options) =>
    finish((await import('./command/trust.js')).trust(folder, options, terminal)),
  )

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

program
  .command('doctor')
  .description('check this machine and tell the cure for what is wrong')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (options) => finish((await import('./command/doctor.js')).doctor(options, terminal)))

const config = program.command('config').description('look at the settings')
config
  .command('print')
  .description('print the settings that hold')
  .option('--show-origin', 'and where each comes from')
  .option(...HOME)
  .option(...JSON_OUT)
  .action(async (options) => finish((await import('./command/config.js')).printConfig(options, terminal)))

program
  .command('completion')
  .description('print the completion for a shell')
  .argument('<shell>', 'bash, zsh or fish')
  .action(async (shell) =>
    finish((await import('./command/completion.js')).completion(shell, program, terminal)),
  )
