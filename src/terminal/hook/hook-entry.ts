/** The hook events that the lifecycle hook is installed for, and how its entries are recognised. */

import { basename } from 'node:path'
import { asList, asRecord, asText } from '../../lib/read-json.js'

export interface HookPoint {
  readonly event: string
  /** Names of tools, or types of notification. Absent: all. */
  readonly matcher?: string
}

const ANSWERED = 'Skill|AskUserQuestion|ExitPlanMode'

/** Only events that produce a line: any other would cost a process for nothing. */
export const HOOK_POINTS: readonly HookPoint[] = [
  { event: 'SessionStart' },
  { event: 'SessionEnd' },
  { event: 'UserPromptSubmit' },
  { event: 'UserPromptExpansion' },
  { event: 'Stop' },
  { event: 'StopFailure' },
  { event: 'PreToolUse', matcher: 'Skill' },
  { event: 'PostToolUse', matcher: ANSWERED },
  { event: 'PostToolUseFailure', matcher: ANSWERED },
  { event: 'PermissionRequest' },
  // Dialogs for which Claude Code raises no PermissionRequest.
  { event: 'Notification', matcher: 'agent_needs_input|elicitation_dialog' },
  { event: 'SubagentStart' },
  { event: 'SubagentStop' },
  { event: 'PreCompact' },
]

/** File name of the hook, by which our entries are recognised in any folder. */
export const HOOK_NAME = 'signalbox-lifecycle-logger'

/** Long enough for a busy machine, short enough that a hook that hangs does not block the session. */
const TIMEOUT_SECONDS = 5
/** Timeout for remote answers. Meanwhile the dialog in the terminal stays open and can be answered. */
const HOLD_SECONDS = 86_400

export interface HookGroup {
  matcher?: string
  hooks: { type: 'command'; command: string; args: string[]; timeout: number }[]
}

/** The command of the entries: path of the hook, and the home whose daemon is asked for remote answers; null: none. */
export interface HookCommand {
  readonly command: string
  readonly home: string | null
}

/** With `args`, Claude Code runs the file without a shell: faster, and no path needs quoting. */
export function hookGroup({ event, matcher }: HookPoint, { command, home }: HookCommand): HookGroup {
  const holds = event === 'PermissionRequest' && home !== null
  return {
    ...(matcher !== undefined && { matcher }),
    hooks: [
      holds
        ? { type: 'command', command, args: [home], timeout: HOLD_SECONDS }
        : { type: 'command', command, args: [], timeout: TIMEOUT_SECONDS },
    ],
  }
}

/** Whether our entries wait for remote answers. */
export function isRemote(settings: unknown): boolean {
  return ourEntries(settings).some(({ hook }) => asList(asRecord(hook)['args']).length > 0)
}

export function isOurHook(hook: unknown): boolean {
  return basename(asText(asRecord(hook)['command']) ?? '') === HOOK_NAME
}

/**
 * Recognises hooks of an older version: a script that gets its data in variables, without a session id.
 * `EVENT_TYPE=session.lifecycle PHASE=started ~/.claude/hooks/lifecycle-logger.sh`
 */
export function isOlderHook(hook: unknown): boolean {
  const words = (asText(asRecord(hook)['command']) ?? '').trim().split(/\s+/)
  const program = basename((words.pop() ?? '').replaceAll(/["']/g, ''))
  return program === 'lifecycle-logger.sh' && words.some((word) => word.startsWith('EVENT_TYPE='))
}

export function nameOfPoint({ event, matcher }: HookPoint): string {
  return matcher === undefined ? event : `${event}[${matcher}]`
}

/** Our entries in the settings, each with its hook point. */
export function ourEntries(settings: unknown): { point: HookPoint; hook: unknown }[] {
  return entriesIn(settings, isOurHook)
}

/** Hook points with entries of an older version. */
export function olderPoints(settings: unknown): string[] {
  return entriesIn(settings, isOlderHook).map(({ point }) => nameOfPoint(point))
}

function entriesIn(
  settings: unknown,
  isWanted: (hook: unknown) => boolean,
): { point: HookPoint; hook: unknown }[] {
  const hooks = asRecord(asRecord(settings)['hooks'])
  return Object.entries(hooks).flatMap(([event, groups]) =>
    asList(groups).flatMap((group) => {
      const { matcher, hooks: entries } = asRecord(group)
      const point = typeof matcher === 'string' ? { event, matcher } : { event }
      return asList(entries)
        .filter(isWanted)
        .map((hook) => ({ point, hook }))
    }),
  )
}

/**
 * Whether our entries are exactly those that would be installed now. Their order among other entries is up to the user.
 */
export function isUpToDate(settings: unknown, command: HookCommand): boolean {
  const describe = (point: HookPoint, hook: unknown) => JSON.stringify([nameOfPoint(point), hook])
  const found = ourEntries(settings).map(({ point, hook }) => describe(point, hook))
  const wanted = HOOK_POINTS.map((point) => describe(point, hookGroup(point, command).hooks[0]))
  return JSON.stringify(found.toSorted()) === JSON.stringify(wanted.toSorted())
}
