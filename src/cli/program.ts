/** All commands. Each is loaded when it is called, so that the others cost nothing. */

import { Command } from 'commander'
import { readVersion } from '../version.js'
import { helpLayout, usageError } from './help.js'
import { hint } from './own-command.js'
import { accessCommands } from './program/access.js'
import { acpCommands } from './program/acp.js'
import { changeCommands } from './program/change.js'
import { daemonCommands } from './program/daemon.js'
import type { CommandContext } from './program/group.js'
import { inboxCommands } from './program/inbox.js'
import { lifecycleCommands } from './program/lifecycle.js'
import { notificationCommands } from './program/notification.js'
import { policyCommands } from './program/policy.js'
import { promptCommands } from './program/prompt.js'
import { protocolCommands } from './program/protocol.js'
import { recordCommands } from './program/record.js'
import { serviceCommands } from './program/service.js'
import { sessionCommands } from './program/session.js'
import { topCommands } from './program/top.js'

export const commandGroups = [
  daemonCommands,
  sessionCommands,
  changeCommands,
  promptCommands,
  inboxCommands,
  policyCommands,
  accessCommands,
  recordCommands,
  lifecycleCommands,
  serviceCommands,
  topCommands,
  acpCommands,
  notificationCommands,
  protocolCommands,
]
/** Commands that need the complete list of commands. */
const WHOLE = ['completion']
/** Of help that does not go to a terminal. */
const DEFAULT_WIDTH = 80
/** These run until they are stopped, or show what they do. */
const FOLLOWING: ReadonlySet<string> = new Set([
  'start',
  'demo',
  'runner',
  'model',
  'run',
  'watch',
  'attach',
  'top',
  'consume',
  'acp',
  'mcp',
])
const LABELS: Readonly<Record<string, string>> = {
  backup: 'Writing the backup',
  restore: 'Restoring',
  doctor: 'Checking',
  verify: 'Verifying the audit',
  backtest: 'Replaying calls',
  search: 'Searching',
  usage: 'Adding up usage',
}

/** Takes all declarations and makes nothing of them. */
// Cast: each of its methods can be called, and returns itself, as those of a command do.
const IGNORED = new Proxy(() => {}, { get: () => () => IGNORED }) as unknown as Command

/** Only with the command that is called, if there is such a one: to make all of them takes as long as most of them take. */
export function createProgram(context: CommandContext, called?: string): Command {
  const group = commandGroups.find(({ names }) => called !== undefined && names.includes(called))
  const program = new Command('signalbox')
    .description('See, answer and steer every Claude Code agent session from one place')
    .version(readVersion())
    .exitOverride()
    .configureHelp(helpLayout)
    .configureOutput({
      writeOut: (text) => context.terminal.out(text),
      writeErr: (text) => context.terminal.note(text.trimEnd()),
      outputError: (text, write) => write(hint(usageError(text, group ? (called ?? null) : null))),
      getOutHelpWidth: () => context.terminal.columns ?? DEFAULT_WIDTH,
      getErrHelpWidth: () => context.terminal.columns ?? DEFAULT_WIDTH,
    })
  let rest = () => {}
  program.hook('preAction', (_, command) => {
    const { watch, follow } = command.opts<{ watch?: boolean; follow?: boolean }>()
    if (!watch && !follow && !FOLLOWING.has(command.name()))
      rest = context.terminal.busy(LABELS[command.name()] ?? 'Working')
  })
  program.hook('postAction', () => rest())
  const isOne = group && called !== undefined && !WHOLE.includes(called)
  // Cast: groups only add commands to it.
  const only = { command: (name: string) => (name === called ? program.command(name) : IGNORED) } as Command
  if (isOne) group.add(only, context)
  else
    for (const { title, add } of commandGroups) {
      program.commandsGroup(`${title}:`)
      add(program, context)
    }
  program.commandsGroup('Help:')
  return program
}
