/** The commands about what is allowed, and about what was decided. */

import type { Command } from 'commander'
import { type CommandGroup, HOME, JSON_OUT } from './group.js'

export const policyCommands: CommandGroup = {
  names: ['policy', 'audit'],
  add(program, { terminal, finish }) {
    const policy = program
      .command('policy')
      .description('see, try out and change what is allowed, denied and asked')

    policy
      .command('show')
      .description('print the policy that holds')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/policy.js')).show(options, terminal)))

    policy
      .command('check')
      .description('print what the policy says to a call, or to each of a list; nothing is run')
      .option('--tool <name>', 'the tool, such as Bash')
      .option('--input <json>', 'its input')
      .option('--file <file>', 'a JSON list of cases; prints one verdict a line ("-": standard input)')
      .option('--cwd <folder>', 'folder that the call would happen in (default: this one)')
      .option('--mode <mode>', 'permission mode')
      .option('--policy <policy>', 'careful, classic or a policy file, instead of the one that holds')
      .option('--jail', 'as if a verified read-only jail were available')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) =>
        finish((await import('../command/policy-check.js')).check(options, terminal)),
      )

    policy
      .command('explain')
      .description('tell why a request is asked, and what it would do')
      .argument('<request>')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/policy.js')).explain(id, options, terminal)),
      )

    policy
      .command('backtest')
      .description('tell what another policy would have said to the recorded calls')
      .requiredOption('--policy <policy>', 'careful, classic or a policy file')
      .option('--since <time>', 'how far back: 7d, 12h, or a date and time (default 7d)')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/policy.js')).backtest(options, terminal)))

    policy
      .command('rule')
      .description('make a rule from a request, and tell what else it would have changed')
      .argument('<request>')
      .option('--save', 'add it to the policy')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/policy.js')).makeRule(id, options, terminal)),
      )

    policy
      .command('grants')
      .description('list what was allowed for the rest of a session')
      .argument('<session>')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/policy.js')).grants(id, options, terminal)),
      )

    policy
      .command('revoke')
      .description('ask again for what was allowed for the rest of a session')
      .argument('<session>')
      .argument('<tool>')
      .argument('[command...]')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, tool, command, options) =>
        finish((await import('../command/policy.js')).revoke(id, tool, command, options, terminal)),
      )

    const audit = program
      .command('audit')
      .description('list who decided what, and from where')
      .option('--limit <count>', 'how many of the newest', '50')
      .option('--session <id>', 'of one session')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/audit.js')).audit(options, terminal)))

    audit
      .command('verify')
      .description('check that nothing in the audit was changed; works without the daemon too')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (_, command: Command) =>
        finish((await import('../command/audit.js')).verifyAudit(command.optsWithGlobals(), terminal)),
      )

    audit
      .command('accept')
      .description('accept the alarm of an audit that does not fit its seal; the alarm stays in the audit')
      .option('--reason <text>', 'why it can be accepted, for the audit')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (_, command: Command) =>
        finish((await import('../command/audit.js')).acceptAudit(command.optsWithGlobals(), terminal)),
      )
  },
}
