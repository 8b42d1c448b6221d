/** Reasons of decisions: by a mode, a rule, a grant, a hook, a user, a timeout or the jail. */

export const decisionTemplates = {
  'mode.bypass': 'The session runs without asking.',
  'mode.edits': 'The session accepts edits in its workspace.',
  'mode.all-edits': 'The session accepts edits.',
  'mode.no-ask': 'The session may not ask.',
  'tool.always': '{tool} is always allowed.',
  'grant.before': 'A user allowed this before.',
  'read-only': 'Only reads files in the workspace.',
  'jail.contained': 'Runs read-only and without network, because nothing proves that it only reads.',
  'user.only': 'Only a user can answer {tool}.',
  'sandbox.leave': 'Runs outside the sandbox.',
  'rule.named': 'Matches the rule {rule}.',
  'rule.says': '{text}',
  'rule.own-files': 'These are files of Signalbox itself.',
  'rule.conversation': 'The tool changes nothing outside the conversation.',
  'classic.protected': 'Protected file',
  'classic.dangerous': 'Dangerous command',
  'policy.failed': 'Cannot check the call because of an internal error.',

  'policy.unavailable': 'Cannot read the policy, so the call does not run. {problem}',
  'shell.not-bash': 'Claude Code does not run commands with bash here, so their effects are unknown.',
  'program.workspace': 'Runs {path}, a program of the workspace.',
  'jail.history': 'Can show protected files without the jail. {problem}',
  'jail.required': 'The settings require the read-only jail. {problem}',
  'jail.replaced':
    'The command was replaced after it was allowed to run in the read-only jail. Call it again.',
  'agent.freer':
    'Starts an agent in mode {mode}, which is freer than this session. Only an admin can allow it.',
  'agent.not-asked': 'Starts an agent in a freer mode than the one that was allowed. Call it again.',
  'hook.asks': 'A hook wants a user to decide.',
  'hook.allows': 'A hook allows it.',
  'hook.blocks': 'A hook blocks it.',
  'user.says': '{text}',
  'hook.says': '{text}',
  'claude.asks': 'Claude Code asks for it.',
  'claude.says': '{text}',
} as const
