/** The commands that start, follow and steer sessions. */

import { Argument } from 'commander'
import { type CommandGroup, HOME, JSON_OUT, UTC, YES } from './group.js'

export const sessionCommands: CommandGroup = {
  title: 'Sessions',
  names: [
    'run',
    'sessions',
    'show',
    'watch',
    'attach',
    'send',
    'interrupt',
    'stop',
    'continue',
    'resume',
    'fork',
    'rewind',
    'rename',
    'set',
    'delete',
    'pin',
    'archive',
    'tag',
    'tasks',
    'export',
  ],
  add(program, { terminal, finish }) {
    program
      .command('run')
      .description('send a prompt and follow the turn in this terminal')
      .argument('[prompt...]', 'the prompt (default: standard input)')
      .option('--cwd <folder>', 'working directory (default: the current one)')
      .option('--mode <mode>', 'permission mode')
      .option('--model <model>', 'model to use')
      .option('--effort <effort>', 'low, medium, high, xhigh or max')
      .option('--prompt <name>', 'send a saved prompt; the words of the command line follow it')
      .option('--session <id>', 'send it to this session instead of a new one')
      .option('--external-id <id>', 'your own id for the new session')
      .option('--worktree [name]', 'work in a new git worktree, with a branch of its own')
      .option('--max-turns <number>', 'stop after this number of steps')
      .option('--budget <usd>', 'stop when the cost reaches this amount (USD)')
      .option(...HOME)
      .option('--scripted [file]', 'answer from a script instead of a model')
      .option('--json', 'print every event as a line of JSON')
      .action(async (prompt, options) =>
        finish((await import('../command/session/run.js')).run(prompt, options, terminal)),
      )

    program
      .command('sessions')
      .description('list sessions and what each is doing')
      .option('--all', 'include ended sessions')
      .option('--state <state>', 'only sessions in this state: idle, working, permission, question or ended')
      .option('--condition <condition>', 'only sessions in this condition, such as failed or interrupted')
      .option('--history', 'only conversations of terminals from before the installation')
      .option('--archived', 'only archived sessions; other lists leave them out')
      .option('--tag <tag>', 'only sessions with this tag')
      .option('--kind <kind>', 'only managed, or only observed sessions')
      .option('--machine <name>', 'only sessions on this machine; that of the daemon is local')
      .option('--cwd <folder>', 'only sessions in this folder')
      .option('--external-id <id>', 'only sessions with this external id')
      .option('--search <text>', 'only sessions with this text in the title, folder or last prompt')
      .option('--limit <number>', 'maximum number to list (default 1000)')
      .option('--watch', 'keep the list up to date until Ctrl-C')
      .option(...HOME)
      .option(...UTC)
      .option(...JSON_OUT)
      .action(async (options) =>
        finish((await import('../command/session/sessions.js')).sessions(options, terminal)),
      )

    program
      .command('show')
      .description('show a session: its details, its state and the end of its conversation')
      .argument('<id>')
      .option('--lines <number>', 'number of items of the conversation to print', '20')
      .option('--tools', 'list tool calls instead: who decided each, and how long each stage took')
      .option(...HOME)
      .option(...UTC)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/session/show.js')).show(id, options, terminal)),
      )

    program
      .command('watch')
      .description('print the events of all sessions, or of one, as they happen')
      .argument('[id]')
      .option('--after <place>', 'start after this sequence number; 0 for all events')
      .option('--type <types>', 'only events of these types, comma-separated')
      .option(...HOME)
      .option(...UTC)
      .option('--json', 'print every event as a line of JSON')
      .action(async (id, options) =>
        finish((await import('../command/session/watch.js')).watch(id, options, terminal)),
      )

    program
      .command('attach')
      .description(
        'follow a session in this terminal: answer, type and interrupt; Ctrl-D detaches, and it continues',
      )
      .argument('<id>')
      .option('--lines <number>', 'number of items of the conversation to print first', '10')
      .option(...HOME)
      .action(async (id, options) =>
        finish((await import('../command/session/attach.js')).attach(id, options, terminal)),
      )

    program
      .command('send')
      .description('send a message to a session')
      .argument('<id>')
      .argument('<text...>')
      .option('--when-busy <choice>', 'inject into the running turn, queue for the next, or replace it')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, text, options) =>
        finish((await import('../command/session/session.js')).send(id, text, options, terminal)),
      )

    program
      .command('interrupt')
      .description('stop the running turn of one or more sessions')
      .argument('[id...]', 'sessions')
      .option('--all', 'all sessions that work or wait')
      .option(...YES)
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (ids, options) =>
        finish((await import('../command/session/several.js')).interrupt(ids, options, terminal)),
      )

    program
      .command('stop')
      .description('end one or more sessions and kill their processes')
      .argument('[id...]', 'sessions')
      .option('--all', 'all sessions that have not ended')
      .option('--reason <text>', 'reason, recorded in the log of the session')
      .option(...YES)
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (ids, options) =>
        finish((await import('../command/session/several.js')).stop(ids, options, terminal)),
      )

    program
      .command('continue')
      .description('continue turns that a crash or a restart interrupted')
      .argument('[id...]', 'sessions')
      .option('--all', 'all interrupted sessions')
      .option(...YES)
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (ids, options) =>
        finish((await import('../command/session/several.js')).continueTurns(ids, options, terminal)),
      )

    program
      .command('resume')
      .description('resume an ended session, or adopt a conversation from a terminal')
      .argument('<id>', 'id of a session, or session id of Claude Code')
      .option('--at <message>', 'resume at this message and drop later ones')
      .option('--continue', 'continue the interrupted turn, or send the message of a failed one again')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/session/session.js')).resume(id, options, terminal)),
      )

    program
      .command('fork')
      .description('start a new session with a copy of the conversation')
      .argument('<id>')
      .option('--at <message>', 'copy up to this message')
      .option('--title <title>', 'title of the new session')
      .option('--prompt <text>', 'first prompt of the new session')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/session/session.js')).fork(id, options, terminal)),
      )

    program
      .command('rewind')
      .description('restore files to their state before a message')
      .argument('<id>')
      .requiredOption('--to <message>', 'id of the message')
      .option('--dry-run', 'print what would change, without changing it')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/session/session.js')).rewind(id, options, terminal)),
      )

    program
      .command('rename')
      .description('rename a session')
      .argument('<id>')
      .argument('<title...>')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, title, options) =>
        finish((await import('../command/session/session.js')).rename(id, title, options, terminal)),
      )

    program
      .command('set')
      .description('change the settings of a session; works during a turn')
      .argument('<id>')
      .option('--mode <mode>', 'permission mode')
      .option('--model <model>', 'model to use')
      .option('--effort <effort>', 'low, medium, high, xhigh or max')
      .option('--title <title>', 'title of the session')
      .option('--external-id <id>', 'your own id for the session; an empty string removes it')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/session/session.js')).set(id, options, terminal)),
      )

    program
      .command('delete')
      .description('stop a session and delete it with all its events')
      .argument('<id>')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/session/session.js')).remove(id, options, terminal)),
      )

    program
      .command('pin')
      .description('keep sessions at the top of lists')
      .argument('<id...>')
      .option('--undo', 'unpin them')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (ids, options) =>
        finish((await import('../command/session/keep.js')).pin(ids, options, terminal)),
      )

    program
      .command('archive')
      .description('leave sessions out of lists; they work as before')
      .argument('<id...>')
      .option('--undo', 'show them again')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (ids, options) =>
        finish((await import('../command/session/keep.js')).archive(ids, options, terminal)),
      )

    program
      .command('tag')
      .description('add tags to a session, or list its tags')
      .argument('<id>')
      .argument('[tags...]')
      .option('--remove', 'remove these tags instead')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, tags, options) =>
        finish((await import('../command/session/keep.js')).tag(id, tags, options, terminal)),
      )

    program
      .command('tasks')
      .description('list the background tasks and agents of a session, or stop one')
      .argument('<id>')
      .usage('[options] <id> [stop <task>]')
      .addArgument(new Argument('[stop]', 'stop the task with this id').choices(['stop']))
      .argument('[task]', 'id of the task to stop')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, word, task, options) =>
        finish((await import('../command/session/session.js')).tasks(id, word, task, options, terminal)),
      )

    program
      .command('export')
      .description('print a session in full, as Markdown or JSON')
      .argument('<id>')
      .option('--format <format>', 'md: Markdown, json: one document, jsonl: one event per line', 'md')
      .option(...HOME)
      .action(async (id, options) =>
        finish((await import('../command/session/export.js')).exportSession(id, options, terminal)),
      )
  },
}
