/** Sums of usage by day, session, model or project. */

import type { UsageBy, UsageRow, UsageSource } from '../protocol/usage.js'
import type { UsageSum } from '../store/port.js'

const HOUR_MS = 3_600_000

/** The newest day, or what cost most, first. */
export function groupUsage(sums: readonly UsageSum[], by: UsageBy, timeZone: string | undefined): UsageRow[] {
  const rows = groupsOf(sums, keyFunction(by, timeZone))
  return rows.toSorted(
    by === 'day' ? (one, two) => (one.key < two.key ? 1 : -1) : (one, two) => two.costUsd - one.costUsd,
  )
}

/** All of them in one row. */
export function totalUsage(sums: readonly UsageSum[]): UsageRow {
  const [total = new Group('total').row()] = groupsOf(sums, () => 'total')
  return total
}

function groupsOf(sums: readonly UsageSum[], keyOf: (sum: UsageSum) => string): UsageRow[] {
  const groups = new Map<string, Group>()
  for (const sum of sums) {
    const key = keyOf(sum)
    const group = groups.get(key) ?? new Group(key)
    groups.set(key, group)
    group.add(sum)
  }
  return Array.from(groups.values(), (group) => group.row())
}

function keyFunction(by: UsageBy, timeZone: string | undefined): (sum: UsageSum) => string {
  switch (by) {
    case 'session':
      return (sum) => sum.sessionId
    case 'model':
      return (sum) => sum.model
    case 'project':
      return (sum) => sum.cwd
    case 'day':
      return dayFunction(timeZone)
  }
}

/** Telling the day of a time takes far longer than adding up a sum, so it is asked as seldom as possible. */
function dayFunction(timeZone: string | undefined): (sum: UsageSum) => string {
  // Swedes write dates as 2026-12-31.
  const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone })
  const dayOf = (hour: number) => format.format(hour * HOUR_MS)
  const spans = new Map<number, Span>()
  return ({ hour }) => {
    const start = hour - (hour % 24)
    const span = spans.get(start) ?? findSpan(start, dayOf)
    spans.set(start, span)
    return hour < span.change ? span.first : span.second
  }
}

/** 24 hours from a midnight in Greenwich: anywhere else one day goes over into the next within them. */
interface Span {
  first: string
  second: string
  change: number
}

function findSpan(start: number, dayOf: (hour: number) => string): Span {
  const [first, second] = [dayOf(start), dayOf(start + 23)]
  let change = start
  let last = first === second ? start : start + 23
  while (change < last) {
    const middle = (change + last) >> 1
    if (dayOf(middle) === first) change = middle + 1
    else last = middle
  }
  return { first, second, change }
}

class Group {
  readonly #key: string
  readonly #sessions = new Set<string>()
  readonly #sources = new Set<UsageSource>()
  readonly #unpriced = new Set<string>()
  /** Those of a session follow each other. */
  #lastSession = ''
  #inputTokens = 0
  #outputTokens = 0
  #cacheReadInputTokens = 0
  #cacheCreationInputTokens = 0
  #costUsd = 0

  constructor(key: string) {
    this.#key = key
  }

  add(sum: UsageSum): void {
    this.#inputTokens += sum.inputTokens
    this.#outputTokens += sum.outputTokens
    this.#cacheReadInputTokens += sum.cacheReadInputTokens
    this.#cacheCreationInputTokens += sum.cacheCreationInputTokens
    this.#costUsd += sum.costUsd
    this.#sources.add(sum.source)
    if (!sum.isPriced) this.#unpriced.add(sum.model)
    if (sum.sessionId === this.#lastSession) return
    this.#lastSession = sum.sessionId
    this.#sessions.add(sum.sessionId)
  }

  row(): UsageRow {
    return {
      key: this.#key,
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
      cacheReadInputTokens: this.#cacheReadInputTokens,
      cacheCreationInputTokens: this.#cacheCreationInputTokens,
      costUsd: this.#costUsd,
      sessions: this.#sessions.size,
      sources: [...this.#sources].toSorted(),
      unpriced: [...this.#unpriced].toSorted(),
    }
  }
}
