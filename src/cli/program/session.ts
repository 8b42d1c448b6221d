/** The commands that start, follow and steer sessions. */

import { type CommandGroup, HOME, JSON_OUT } from './group.js'

export const sessionCommands: CommandGroup = {
  names: [
    'run',
    'sessions',
    'show',
    'watch',
    'send',
    'interrupt',
    'stop',
    'resume',
    'fork',
    'rewind',
    'rename',
    'set',
    'delete',
    'tasks',
    'export',
  ],
  add(program, { terminal, finish }) {
    program
      .command('run')
      .description('send one prompt and follow it here')
      .argument('[prompt...]', 'what to do; standard input if left out')
      .option('--cwd <folder>', 'folder to work in (default: this one)')
      .option('--mode <mode>', 'permission mode')
      .option('--model <model>', 'model to use')
      .option('--session <id>', 'go on with this session')
      .option('--external-id <id>', 'your own id of the conversation, for a new session')
      .option('--max-turns <number>', 'stop after so many steps')
      .option('--budget <usd>', 'stop when it has cost so much')
      .option(...HOME)
      .option('--scripted [file]', 'answer from a script instead of a model')
      .option('--json', 'print every event as a line of JSON')
      .action(async (prompt, options) =>
        finish((await import('../command/run.js')).run(prompt, options, terminal)),
      )

    program
      .command('sessions')
      .description('list sessions and what each is doing')
      .option('--all', 'ended ones too')
      .option('--state <state>', 'only those that are idle, working, permission, question or ended')
      .option('--kind <kind>', 'only managed or observed ones')
      .option('--cwd <folder>', 'only those of this folder')
      .option('--external-id <id>', 'only those with this external id')
      .option('--search <text>', 'only those with this in their title, folder or last prompt')
      .option('--limit <number>', 'at most this many sessions (default: 1000)')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/session.js')).sessions(options, terminal)))

    program
      .command('show')
      .description('show a session: what it is, what it is doing, and the end of its conversation')
      .argument('<id>')
      .option('--lines <number>', 'how much of the conversation', '20')
      .option('--tools', 'instead, who judged each tool call, whom it waited for, how long each stage took')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) => finish((await import('../command/show.js')).show(id, options, terminal)))

    program
      .command('watch')
      .description('follow all sessions, or one, as things happen')
      .argument('[id]')
      .option('--after <place>', 'from this place on; 0 for all from the beginning')
      .option('--type <types>', 'only events of these types, with commas')
      .option(...HOME)
      .option('--json', 'print every event as a line of JSON')
      .action(async (id, options) =>
        finish((await import('../command/watch.js')).watch(id, options, terminal)),
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
        finish((await import('../command/session.js')).send(id, text, options, terminal)),
      )

    program
      .command('interrupt')
      .description('stop the running turn of a session')
      .argument('<id>')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/session.js')).interrupt(id, options, terminal)),
      )

    program
      .command('stop')
      .description('end a session and every process of it')
      .argument('<id>')
      .option('--reason <text>', 'what is written into its log')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/session.js')).stop(id, options, terminal)),
      )

    program
      .command('resume')
      .description('take up a session that has ended, or a conversation that was begun in a terminal')
      .argument('<id>', 'a session, or Claude’s id of a conversation')
      .option('--at <message>', 'go on from this message and forget what came after')
      .option('--continue', 'go on with a turn that was cut off')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/session.js')).resume(id, options, terminal)),
      )

    program
      .command('fork')
      .description('make a new session with a copy of the conversation')
      .argument('<id>')
      .option('--at <message>', 'only up to this message')
      .option('--title <title>', 'a title of its own')
      .option('--prompt <text>', 'and send it this')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/session.js')).fork(id, options, terminal)),
      )

    program
      .command('rewind')
      .description('put files back to how they were before a message')
      .argument('<id>')
      .requiredOption('--to <message>', 'the message')
      .option('--dry-run', 'only say what would be done')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/session.js')).rewind(id, options, terminal)),
      )

    program
      .command('rename')
      .description('give a session a title')
      .argument('<id>')
      .argument('<title...>')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, title, options) =>
        finish((await import('../command/session.js')).rename(id, title, options, terminal)),
      )

    program
      .command('set')
      .description('change a session, also while it works')
      .argument('<id>')
      .option('--mode <mode>', 'permission mode')
      .option('--model <model>', 'model to use')
      .option('--effort <effort>', 'low, medium, high, xhigh or max')
      .option('--title <title>', 'title')
      .option('--external-id <id>', 'your own id of the conversation; an empty text removes it')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/session.js')).set(id, options, terminal)),
      )

    program
      .command('delete')
      .description('stop a session and forget it with all its events')
      .argument('<id>')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/session.js')).remove(id, options, terminal)),
      )

    program
      .command('tasks')
      .description('list the background tasks and agents of a session, or stop one')
      .argument('<id>')
      .argument('[stop]', 'the word stop')
      .argument('[task]', 'which one')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, word, task, options) =>
        finish((await import('../command/session.js')).tasks(id, word, task, options, terminal)),
      )

    program
      .command('export')
      .description('write a session to standard output')
      .argument('<id>')
      .option('--format <format>', 'md to read, json for all in one, jsonl for an event a line', 'md')
      .option(...HOME)
      .action(async (id, options) =>
        finish((await import('../command/export.js')).exportSession(id, options, terminal)),
      )
  },
}
