/**
 * When a user is notified about a matter, and through which channel. A plain function of the matter, the recipients, the
 * activity of users and the time, so that years of it can be simulated.
 */

import { withoutTrailingSlash } from '../../lib/text/trailing-slash.js'
import type { NotificationKind, QuietHours } from '../../protocol/notification/notification-kind.js'
import type { NotificationSettings } from '../../protocol/notification/settings.js'
import type { Severity } from '../../protocol/policy/policy.js'
import type { Matter, SentStep } from '../matter.js'
import { quietUntil } from './quiet-hours.js'

/** A user with the channels that can be used now, both in the order in which they are tried. */
export interface Recipient {
  readonly user: string
  readonly quiet: QuietHours | null
  readonly minSeverity: Severity | null
  readonly kinds: readonly NotificationKind[]
  readonly channels: readonly ChannelFilter[]
}

export interface ChannelFilter {
  readonly name: string
  readonly kinds?: readonly NotificationKind[] | undefined
  readonly folders?: readonly string[] | undefined
  readonly sessions?: readonly string[] | undefined
  readonly minSeverity?: Severity | undefined
}

/** Times of the last signs of activity; null: none. */
export interface Activity {
  /** Of any user, on this session. */
  onSession(sessionId: string): number | null
  /** Of this user, anywhere. */
  ofUser(user: string): number | null
}

export interface Circumstances {
  readonly now: number
  readonly rules: NotificationSettings
  readonly recipients: readonly Recipient[]
  readonly activity: Activity
  isMuted(sessionId: string): boolean
}

export interface Step {
  readonly user: string
  readonly channel: string
  readonly isReminder: boolean
}

export type Decision =
  | { readonly kind: 'send'; readonly step: Step; readonly due: number; readonly hasNext: boolean }
  /** Nothing before that time, unless something else happens; null: nothing at all. */
  | { readonly kind: 'wait'; readonly step: Step | null; readonly until: number | null }
  /** A user has seen it, or it is too old to be news. */
  | { readonly kind: 'settled' }

const NOTHING: Decision = { kind: 'wait', step: null, until: null }
/** How long after the last failure all ways are tried again. */
const AGAIN_MS = 5 * 60_000

export function decide(matter: Matter, circumstances: Circumstances): Decision {
  const { now, rules, recipients, activity, isMuted } = circumstances
  const seenAt = activity.onSession(matter.sessionId)
  if (matter.kind !== 'needs_you') {
    if (seenAt !== null && seenAt > matter.raisedAt) return { kind: 'settled' }
    if (now >= matter.raisedAt + rules.expireAfterMs) return { kind: 'settled' }
  }
  if (isMuted(matter.sessionId)) return NOTHING
  const last = matter.sent.at(-1)
  // News is sent once; only a request is reminded of, and passed on to others.
  if (last?.state === 'pending' || (matter.kind !== 'needs_you' && last?.state === 'delivered'))
    return NOTHING
  const open = openSteps(matter, circumstances)
  const heldUntil = seenAt === null ? 0 : seenAt + rules.presenceMs
  let earliest: Decision = NOTHING
  for (const [index, step] of open.entries()) {
    const recipient = recipients.find(({ user }) => user === step.user)
    const due = Math.max(heldUntil, dueAt(matter, step, last, circumstances))
    const quietEnd = quietUntil(recipient?.quiet ?? null, Math.max(due, now))
    if (quietEnd === null) {
      if (due <= now) return { kind: 'send', step, due, hasNext: hasOther(open.slice(index + 1), step) }
      return soonerOf(earliest, { kind: 'wait', step, until: due })
    }
    // The next user may be awake.
    earliest = soonerOf(earliest, { kind: 'wait', step, until: quietEnd })
  }
  return earliest
}

/**
 * The steps that are left. Where every way has failed, all are tried again, the one first whose failure is the oldest: the
 * network may have been down, or the channel that was to follow was removed.
 */
function openSteps(matter: Matter, { now, rules, recipients }: Circumstances): Step[] {
  const chain = chainOf(matter, recipients)
  const open = chain.filter((step) => !matter.sent.some((sent) => isDone(sent, step)))
  const wasToldOf = matter.sent.some(({ state }) => state === 'delivered')
  if (open.length > 0 || wasToldOf || now >= matter.raisedAt + rules.expireAfterMs) return open
  const failedAt = (step: Step) =>
    Math.max(0, ...matter.sent.filter((sent) => isDone(sent, step)).map(({ at }) => at))
  return chain
    .filter(({ isReminder }) => !isReminder)
    .toSorted((one, other) => failedAt(one) - failedAt(other))
}

/** All steps for a matter: the first channel, a reminder there, the other channels, then the next user. */
function chainOf(matter: Matter, recipients: readonly Recipient[]): Step[] {
  return recipients
    .filter((recipient) => wants(recipient, matter))
    .flatMap(({ user, channels }) => {
      const steps = channels
        .filter((channel) => wants(channel, matter) && isInScope(channel, matter))
        .map(({ name }) => ({ user, channel: name, isReminder: false }))
      const [first, ...others] = steps
      if (!first) return []
      return matter.kind === 'needs_you' ? [first, { ...first, isReminder: true }, ...others] : steps
    })
}

function dueAt(
  { kind, raisedAt, sent }: Matter,
  step: Step,
  last: SentStep | undefined,
  { now, rules, activity }: Circumstances,
): number {
  if (last) {
    const isAgain = sent.some((one) => isDone(one, step))
    if (last.state === 'failed') return last.at + (isAgain ? AGAIN_MS : 0)
    return last.at + (step.isReminder ? rules.remindAfterMs : rules.nextAfterMs)
  }
  const activeAt = activity.ofUser(step.user)
  const isAtDesk = activeAt !== null && activeAt + rules.presenceMs > now
  return raisedAt + (isAtDesk && kind === 'needs_you' ? Math.max(rules.afterMs, rules.deskMs) : rules.afterMs)
}

/** A channel that failed gets no reminder either. */
function isDone(sent: SentStep, step: Step): boolean {
  const isSameChannel = sent.user === step.user && sent.channel === step.channel
  return isSameChannel && (sent.isReminder === step.isReminder || sent.state === 'failed')
}

/** A reminder through the same channel is no other way. */
function hasOther(steps: readonly Step[], { user, channel }: Step): boolean {
  return steps.some((step) => step.user !== user || step.channel !== channel)
}

interface Wish {
  readonly kinds?: readonly NotificationKind[] | undefined
  readonly minSeverity?: Severity | null | undefined
}

const LEVELS: readonly (Severity | null)[] = [null, 'notice', 'serious', 'destructive']

function wants({ kinds, minSeverity = null }: Wish, matter: Matter): boolean {
  if (kinds && !kinds.includes(matter.kind)) return false
  return LEVELS.indexOf(matter.severity) >= LEVELS.indexOf(minSeverity)
}

function isInScope({ folders, sessions }: ChannelFilter, { cwd, sessionId }: Matter): boolean {
  const isInFolder =
    !folders || folders.some((folder) => `${cwd}/`.startsWith(`${withoutTrailingSlash(folder)}/`))
  return isInFolder && (!sessions || sessions.includes(sessionId))
}

function soonerOf(one: Decision, other: Decision & { kind: 'wait' }): Decision {
  if (one.kind !== 'wait' || one.until === null) return other
  return other.until !== null && other.until < one.until ? other : one
}
