/** Properties of the messages in a simulated history, checked without the rules that sent them. */

import { quietUntil } from '../../src/notification/rule/quiet-hours.js'
import type { QuietHours } from '../../src/protocol/notification/notification-kind.js'
import type { NotificationSettings } from '../../src/protocol/notification/settings.js'

const SECOND = 1_000
const HOUR = 3_600_000
/** An interval of good conditions after which a message must have come, with the longest back-off in it. */
const LONG_MS = 360_000
/** The planner looks at matters at least this often. */
const LOOK_MS = 16 * SECOND

export interface Asked {
  id: string
  sessionId: string
  at: number
  answeredAt: number | null
}

export interface Shown {
  key: string
  requestId: string
  at: number
  user: string
  channel: string
  isReminder: boolean
}

export interface SimulatedHistory {
  asked: readonly Asked[]
  shown: readonly Shown[]
  /** Signs of the user, by time. */
  signs: readonly { sessionId: string | null; at: number }[]
  outages: Readonly<Record<string, [number, number][]>>
  /** Times without a daemon. */
  downs: readonly [number, number][]
  rules: NotificationSettings
  quiet: QuietHours
  end: number
}

export function findProblems(history: SimulatedHistory): string[] {
  const isPresent = presenceIn(history)
  return [...wrongMessages(history, isPresent), ...missingMessages(history, isPresent)]
}

type IsPresent = (sessionId: string, at: number) => boolean

/** Each message once, not too soon, not too late, not at night, and not while the user was there. */
function wrongMessages({ asked, shown, rules, quiet }: SimulatedHistory, isPresent: IsPresent): string[] {
  const problems: string[] = []
  const byId = new Map(asked.map((request) => [request.id, request]))
  const seen = new Set<string>()
  const firstThrough = new Map<string, number>()
  for (const { key, requestId, at, channel, isReminder } of shown) {
    const report = (what: string) => problems.push(`${key} ${what} (${timeText(at)})`)
    if (seen.has(key)) report('was sent twice')
    seen.add(key)
    const request = byId.get(requestId)
    if (!request) continue
    const way = `${requestId}|${channel}`
    const first = firstThrough.get(way) ?? Number.POSITIVE_INFINITY
    if (isReminder && first > at - rules.remindAfterMs) report('came too soon after the first')
    if (!isReminder) firstThrough.set(way, at)
    if (at < request.at + rules.afterMs) report('came too soon')
    if (request.answeredAt !== null && at > request.answeredAt) report('came after the answer')
    if (quietUntil(quiet, at) !== null) report('came at night')
    if (isPresent(request.sessionId, at)) report('came while the user was there')
  }
  return problems
}

function missingMessages(history: SimulatedHistory, isPresent: IsPresent): string[] {
  const firstOf = new Map<string, number>()
  for (const { requestId, at } of history.shown)
    firstOf.set(requestId, Math.min(at, firstOf.get(requestId) ?? at))
  return history.asked.flatMap((request) => {
    const first = firstOf.get(request.id) ?? Number.POSITIVE_INFINITY
    const limit = limitOf(request, history, isPresent)
    if (limit === null || first <= limit) return []
    return [`${request.id} of ${timeText(request.at)} was not reported by ${timeText(limit)}`]
  })
}

/**
 * The time by which a request must have been reported: soon after the user had the time to answer, or after some good
 * minutes if a channel or the daemon was down nearby. Null if there was no such time before the answer.
 */
function limitOf(
  { sessionId, at, answeredAt }: Asked,
  history: SimulatedHistory,
  isPresent: IsPresent,
): number | null {
  const { rules, quiet, outages, downs, end } = history
  const until = answeredAt ?? end
  const near = (list: readonly [number, number][]) =>
    list.filter(([from, to]) => from < until + LONG_MS && to > at - 2 * LONG_MS)
  const nearOutages = Object.values(outages).map(near)
  const nearDowns = near(downs)
  const isGood = (time: number) =>
    quietUntil(quiet, time) === null &&
    !isPresent(sessionId, time) &&
    !nearDowns.some(([from, to]) => time >= from - SECOND && time < to + 11 * SECOND)
  const isUndisturbed = (to: number) =>
    [...nearOutages.flat(), ...nearDowns].every(([start, stop]) => start > to || stop + LONG_MS < at)
  const isAllDown = (from: number, to: number) =>
    nearOutages.every((list) => list.some(([start, stop]) => start < to && stop > from))
  let since: number | null = null
  for (let time = at; time < until; time += 5 * SECOND) {
    since = isGood(time) ? (since ?? time) : null
    if (since === null) continue
    const due = Math.max(since, at + rules.deskMs) + rules.batchMs
    if (time >= due + LOOK_MS && isUndisturbed(time)) return time
    if (time >= due + LONG_MS && !isAllDown(since, time)) return time
    if (time >= due + 2 * HOUR) return null
  }
  return null
}

function presenceIn({ signs, rules }: SimulatedHistory): IsPresent {
  const bySession = new Map<string, number[]>()
  for (const { sessionId, at } of signs) {
    if (sessionId === null) continue
    const times = bySession.get(sessionId) ?? []
    times.push(at)
    bySession.set(sessionId, times)
  }
  return (sessionId, at) => {
    const last = lastBefore(bySession.get(sessionId) ?? [], at)
    return last !== null && last > at - rules.presenceMs
  }
}

function lastBefore(times: readonly number[], at: number): number | null {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return times[low - 1] ?? null
}

function timeText(at: number): string {
  return new Date(at).toISOString().slice(5, 19)
}
