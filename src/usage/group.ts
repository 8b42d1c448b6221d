/** Sums of usage by hour, day, session, model or project. */

import type {
  UsageBy,
  UsageRow,
  UsageShare,
  UsageSource,
  UsageSplit,
  UsageSum,
} from '../protocol/usage/usage.js'

const HOUR_MS = 3_600_000

export interface Grouping {
  by: UsageBy
  /** Divides each row, and the total, again. */
  split?: UsageSplit | undefined
  timeZone?: string | undefined
  /** Only hours that begin before this time. */
  until?: string | undefined
}

/** The newest time, or what cost most, first; and all of them in one row. */
export function groupUsage(
  all: readonly UsageSum[],
  { by, split, timeZone, until }: Grouping,
): { usage: UsageRow[]; total: UsageRow } {
  const end = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until)
  const sums = until === undefined ? all : all.filter(({ hour }) => hour * HOUR_MS < end)
  const keyOf = keyFunction(by, timeZone)
  const shareOf = split === undefined ? null : keyFunction(split, timeZone)
  const groups = new Map<string, Group>()
  const total = new Group('total')
  // Neighbours are mostly of one group, and looking for it takes longer than adding up.
  let newest: Group | undefined
  for (const sum of sums) {
    const key = keyOf(sum)
    const group: Group = newest?.key === key ? newest : (groups.get(key) ?? new Group(key))
    if (group !== newest) groups.set(key, group)
    newest = group
    group.add(sum)
    if (shareOf) group.addShare(shareOf(sum), sum)
    total.addSession(sum.sessionId)
  }
  for (const group of groups.values()) total.addFigures(group)
  const rows = Array.from(groups.values(), (group) => group.row())
  const usage = rows.toSorted(
    by === 'day' || by === 'hour'
      ? (one, two) => (one.key < two.key ? 1 : -1)
      : (one, two) => two.costUsd - one.costUsd,
  )
  return { usage, total: total.row() }
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
    case 'hour':
      return hourFunction(timeZone)
  }
}

/** `2026-12-31T14:00`, in a time zone. Some zones begin their hours at half past. */
function hourFunction(timeZone: string | undefined): (sum: UsageSum) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone })
  const known = new Map<number, string>()
  return ({ hour }) => {
    const text = known.get(hour) ?? format.format(hour * HOUR_MS).replace(' ', 'T')
    known.set(hour, text)
    return text
  }
}

/** Telling the day of a time takes far longer than adding up a sum, so it is asked as seldom as possible. */
function dayFunction(timeZone: string | undefined): (sum: UsageSum) => string {
  // Swedes write dates as 2026-12-31.
  const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone })
  const dayOf = (hour: number) => format.format(hour * HOUR_MS)
  const spans = new Map<number, Span>()
  let span = findSpan(0, dayOf)
  return ({ hour }) => {
    if (hour < span.start || hour >= span.start + 24) {
      const start = hour - (hour % 24)
      span = spans.get(start) ?? findSpan(start, dayOf)
      spans.set(start, span)
    }
    return hour < span.change ? span.first : span.second
  }
}

/** 24 hours from a midnight in Greenwich: anywhere else one day goes over into the next within them. */
interface Span {
  start: number
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
  return { start, first, second, change }
}

class Group {
  readonly key: string
  readonly #sessions = new Set<string>()
  readonly #sources = new Set<UsageSource>()
  readonly #unpriced = new Set<string>()
  /** Those of a session follow each other. */
  #lastSession = ''
  #lastSource: UsageSource | null = null
  #inputTokens = 0
  #outputTokens = 0
  #cacheReadInputTokens = 0
  #cacheCreationInputTokens = 0
  #costUsd = 0
  /** Null unless the row is divided. */
  #shares: Map<string, Group> | null = null

  constructor(key: string) {
    this.key = key
  }

  add(sum: UsageSum): void {
    this.#inputTokens += sum.inputTokens
    this.#outputTokens += sum.outputTokens
    this.#cacheReadInputTokens += sum.cacheReadInputTokens
    this.#cacheCreationInputTokens += sum.cacheCreationInputTokens
    this.#costUsd += sum.costUsd
    if (sum.source !== this.#lastSource) {
      this.#lastSource = sum.source
      this.#sources.add(sum.source)
    }
    if (!sum.isPriced) this.#unpriced.add(sum.model)
    this.addSession(sum.sessionId)
  }

  addShare(key: string, sum: UsageSum): void {
    this.#shares ??= new Map()
    const share = this.#shares.get(key) ?? new Group(key)
    this.#shares.set(key, share)
    share.add(sum)
  }

  addSession(id: string): void {
    if (id === this.#lastSession) return
    this.#lastSession = id
    this.#sessions.add(id)
  }

  /** All but the sessions, which may be in several groups. */
  addFigures(group: Group): void {
    this.#inputTokens += group.#inputTokens
    this.#outputTokens += group.#outputTokens
    this.#cacheReadInputTokens += group.#cacheReadInputTokens
    this.#cacheCreationInputTokens += group.#cacheCreationInputTokens
    this.#costUsd += group.#costUsd
    for (const source of group.#sources) this.#sources.add(source)
    for (const model of group.#unpriced) this.#unpriced.add(model)
    for (const [key, share] of group.#shares ?? []) {
      this.#shares ??= new Map()
      const own = this.#shares.get(key) ?? new Group(key)
      this.#shares.set(key, own)
      own.addFigures(share)
    }
  }

  #share(): UsageShare {
    return {
      key: this.key,
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
      cacheReadInputTokens: this.#cacheReadInputTokens,
      cacheCreationInputTokens: this.#cacheCreationInputTokens,
      costUsd: this.#costUsd,
    }
  }

  row(): UsageRow {
    return {
      ...this.#share(),
      sessions: this.#sessions.size,
      sources: [...this.#sources].toSorted(),
      unpriced: [...this.#unpriced].toSorted(),
      ...(this.#shares && { shares: sharesOf(this.#shares.values(), (group) => group.#share()) }),
    }
  }
}

/** By cost, the highest first; of equal cost, by tokens. */
function sharesOf<One>(groups: Iterable<One>, toShare: (group: One) => UsageShare): UsageShare[] {
  const tokens = ({ inputTokens, outputTokens }: UsageShare) => inputTokens + outputTokens
  return Array.from(groups, toShare).toSorted(
    (one, two) => two.costUsd - one.costUsd || tokens(two) - tokens(one) || (one.key < two.key ? -1 : 1),
  )
}
