/** The commands for the policy, and for past decisions. */

import type { Command } from 'commander'
import { type CommandGroup, HOME, JSON_OUT, UTC } from './group.js'

export const policyCommands: CommandGroup = {
  title: 'Policy and audit',
  names: ['policy', 'audit'],
  add(program, { terminal, finish }) {
    const policy = program
      .command('policy')
      .description('show, test and change the policy: what is allowed, denied or asked')

    policy
      .command('show')
      .description('print the effective policy')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) =>
        finish((await import('../command/policy/policy.js')).show(options, terminal)),
      )

    policy
      .command('check')
      .description('print the verdict of the policy on a call, or on a list of calls; runs nothing')
      .option('--tool <name>', 'the tool, such as Bash')
      .option('--input <json>', 'its input')
      .option('--file <file>', 'a JSON list of calls ("-": standard input); prints one verdict per line')
      .option('--cwd <folder>', 'working directory of the call (default: the current one)')
      .option('--mode <mode>', 'permission mode')
      .option('--policy <policy>', 'careful, classic or a policy file (default: the effective policy)')
      .option('--jail', 'assume that a verified read-only jail is available')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) =>
        finish((await import('../command/policy/policy-check.js')).check(options, terminal)),
      )

    policy
      .command('explain')
      .description('explain why a request needs approval, and what it would do')
      .argument('<request>')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/policy/policy.js')).explain(id, options, terminal)),
      )

    policy
      .command('backtest')
      .description('replay recorded calls against another policy and print what would change')
      .requiredOption('--policy <policy>', 'careful, classic or a policy file')
      .option('--since <time>', 'how far back: 7d, 12h, or a date and time (default 7d)')
      .option(...HOME)
      .option(...UTC)
      .option(...JSON_OUT)
      .action(async (options) =>
        finish((await import('../command/policy/policy.js')).backtest(options, terminal)),
      )

    policy
      .command('preview')
      .description('print what a rule would change for an example and the closest calls; saves nothing')
      .argument('<file>', 'a rule as JSON ("-": standard input)')
      .option('--cwd <folder>', 'folder of the example (default: the current one)')
      .option('--tool <name>', 'the tool of the example, such as Bash (default: what the rule describes)')
      .option('--input <json>', 'its input')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (file, options) =>
        finish((await import('../command/policy/policy-preview.js')).preview(file, options, terminal)),
      )

    policy
      .command('rule')
      .description('propose a rule from a request, and print the closest calls it would and would not allow')
      .argument('<request>')
      .option('--scope <scope>', 'exact, flags (other operands) or pattern (default: the narrowest)')
      .option('--everywhere', 'for every folder (default: only the folder of the request)')
      .option('--until <time>', 'when the rule ends: 8h, 7d, or a date and time (default: never)')
      .option('--pattern <pattern...>', 'other patterns for commands, or for paths of a file tool')
      .option('--save', 'save it in the policy')
      .option(...HOME)
      .option(...UTC)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/policy/policy-rule.js')).makeRule(id, options, terminal)),
      )

    policy
      .command('grants')
      .description('list the grants of a session: calls allowed for its rest')
      .argument('<session>')
      .option(...HOME)
      .option(...UTC)
      .option(...JSON_OUT)
      .action(async (id, options) =>
        finish((await import('../command/policy/policy.js')).grants(id, options, terminal)),
      )

    policy
      .command('revoke')
      .description('revoke a grant of a session, so that the calls need approval again')
      .argument('<session>')
      .argument('<tool>')
      .argument('[command...]')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (id, tool, command, options) =>
        finish((await import('../command/policy/policy.js')).revoke(id, tool, command, options, terminal)),
      )

    const audit = program
      .command('audit')
      .description('list decisions: who decided what, and through which client')
      .option('--people', 'only decisions of users: answers, rules, trust, tokens')
      .option('--session <id>', 'only entries of this session')
      .option('--user <name>', 'only entries of this user or token')
      .option('--by <source>', 'only what this decided: person, policy, grant, hook, timeout, terminal …')
      .option('--kind <kinds>', 'only entries of these kinds, separated by commas, such as policy.changed')
      .option('--verdict <verdict>', 'only entries with this verdict, such as deny')
      .option('--tool <name>', 'only decisions on calls of this tool')
      .option('--search <text>', 'only entries with this text in the call, reason, rule or user')
      .option('--since <date>', 'only from this day or time on, such as 2026-11-01 or 7d')
      .option('--until <date>', 'only before this day or time')
      .option('--before <entry>', 'only entries before this number, to page back')
      .option('--limit <count>', 'number of newest entries to list', '50')
      .option(...HOME)
      .option(...UTC)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/audit.js')).audit(options, terminal)))

    audit
      .command('verify')
      .description('verify that no entry of the audit was changed; works without the daemon too')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (_, command: Command) =>
        finish((await import('../command/audit.js')).verifyAudit(command.optsWithGlobals(), terminal)),
      )

    audit
      .command('accept')
      .description('acknowledge the alarm of an audit that does not match its seal; the alarm stays recorded')
      .option('--reason <text>', 'reason, recorded in the audit')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (_, command: Command) =>
        finish((await import('../command/audit.js')).acceptAudit(command.optsWithGlobals(), terminal)),
      )
  },
}
