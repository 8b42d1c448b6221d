/** Which events of Claude Code the lifecycle hook is installed for, and how such an entry is recognised. */

import { basename } from 'node:path'
import { asList, asRecord, asText } from '../../lib/read-json.js'

export interface HookPoint {
  readonly event: string
  /** Which tools, or kinds of notification; all if left out. */
  readonly matcher?: string
}

const ANSWERED = 'Skill|AskUserQuestion|ExitPlanMode'

/** Only what becomes a line: a hook that has nothing to say would still cost the person a process. */
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
  // Dialogs for which no PermissionRequest is raised.
  { event: 'Notification', matcher: 'agent_needs_input|elicitation_dialog' },
  { event: 'SubagentStart' },
  { event: 'SubagentStop' },
  { event: 'PreCompact' },
]

/** The name by which our entries are known, in whatever folder the hook is. */
export const HOOK_NAME = 'signalbox-lifecycle-logger'

/** Enough for a busy machine, and little enough that nobody waits for a hook that hangs. */
const TIMEOUT_SECONDS = 5
/** How long an answer from elsewhere is waited for; the dialog in the terminal can be answered all the while. */
const HOLD_SECONDS = 86_400

export interface HookGroup {
  matcher?: string
  hooks: { type: 'command'; command: string; args: string[]; timeout: number }[]
}

/** What the entries run: the hook, and the home whose daemon is asked for answers; null: none is. */
export interface HookCommand {
  readonly command: string
  readonly home: string | null
}

/** `args` makes Claude Code run the file itself, without a shell: quicker, and any path is safe. */
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

/** Whether our entries wait for answers from elsewhere. */
export function isRemote(settings: unknown): boolean {
  return ourEntries(settings).some(({ hook }) => asList(asRecord(hook)['args']).length > 0)
}

export function isOurHook(hook: unknown): boolean {
  return basename(asText(asRecord(hook)['command']) ?? '') === HOOK_NAME
}

/**
 * A hook of an older installation: a script that gets what to write in variables, and knows no session.
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

/** Our entries in some settings, each as its point and what is run there. */
export function ourEntries(settings: unknown): { point: HookPoint; hook: unknown }[] {
  return entriesIn(settings, isOurHook)
}

/** Where hooks of an older installation are. */
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

/** Whether our entries are exactly those that would be installed now. Where they stand among others is the person's choice. */
export function isUpToDate(settings: unknown, command: HookCommand): boolean {
  const describe = (point: HookPoint, hook: unknown) => JSON.stringify([nameOfPoint(point), hook])
  const found = ourEntries(settings).map(({ point, hook }) => describe(point, hook))
  const wanted = HOOK_POINTS.map((point) => describe(point, hookGroup(point, command).hooks[0]))
  return JSON.stringify(found.toSorted()) === JSON.stringify(wanted.toSorted())
}
