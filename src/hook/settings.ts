/** Command hooks as users configure them: in the shape of Claude Code's own settings. */

import { z } from 'zod'
import { readMatcher } from './matcher.js'

export const HookEvent = z.enum([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'Notification',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'PreModelSwitch',
  'PostModelSwitch',
  'PermissionRequest',
  'PermissionDenied',
  'Setup',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeCreate',
  'WorktreeRemove',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
  'DirectoryAdded',
  'MessageDisplay',
])
export type HookEvent = z.infer<typeof HookEvent>

const CommandHook = z.strictObject({
  type: z.literal('command', 'Only hooks of the type "command" are run here.'),
  /** For a shell; with `args` a program of its own. */
  command: z.string().trim().min(1),
  args: z.array(z.string()).optional(),
  /** Seconds. */
  timeout: z.number().positive().max(86_400).optional(),
  /** Effect of a failing hook on the action that it guards. */
  onFailure: z.enum(['continue', 'block']).default('continue'),
})
export type CommandHook = z.infer<typeof CommandHook>

const HookGroup = z.strictObject({
  matcher: z
    .string()
    .max(1_000)
    .refine(
      (matcher) => readMatcher(matcher) !== null,
      'It is neither a list of names nor a regular expression.',
    )
    .optional(),
  /** Only for sessions in this folder or below it. */
  workspace: z.string().startsWith('/', 'Name the folder by its absolute path.').optional(),
  hooks: z.array(CommandHook),
})
type HookGroup = z.infer<typeof HookGroup>

/** By event. Fails closed: an unknown setting is refused, as a hook that silently does nothing guards nothing. */
export const HookSettings = z.partialRecord(HookEvent, z.array(HookGroup))
export type HookSettings = z.infer<typeof HookSettings>

const DEFAULT_TIMEOUT_S = 600
/** As in Claude Code: a user waits for these. */
const DEFAULT_TIMEOUTS_S: Partial<Record<HookEvent, number>> = { UserPromptSubmit: 30, SessionEnd: 1.5 }

export function timeoutMsOf(event: HookEvent, { timeout }: CommandHook): number {
  return 1_000 * (timeout ?? DEFAULT_TIMEOUTS_S[event] ?? DEFAULT_TIMEOUT_S)
}

/** The hooks that are meant for sessions in a folder. */
export function hooksFor(settings: HookSettings, cwd: string): HookSettings {
  const isMeant = ({ workspace }: HookGroup) =>
    workspace === undefined || `${cwd}/`.startsWith(workspace.endsWith('/') ? workspace : `${workspace}/`)
  return Object.fromEntries(
    Object.entries(settings).map(([event, groups]) => [event, groups.filter(isMeant)]),
  )
}
