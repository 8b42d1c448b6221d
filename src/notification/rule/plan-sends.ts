/** Decides about all open matters at once, and combines what is due for the same channel into one notification. Pure. */

import type { Matter } from '../matter.js'
import { type OutboxRow, subjectOf } from '../outbox-row.js'
import { type Circumstances, type Decision, decide, type Step } from './decide.js'

export interface SendPlan {
  rows: OutboxRow[]
  /** Matters with the step that was just planned. */
  changed: Matter[]
  settled: Matter[]
  /** When to look again; null: only after something has happened. */
  nextAt: number | null
}

/** How long a channel is tried before the next one follows. */
const TRY_MS = 60_000

interface Group {
  step: Step
  matters: Matter[]
  hasNext: boolean
  /** When the first of them was due. */
  since: number
}

export function planSends(
  matters: readonly Matter[],
  circumstances: Circumstances,
  newId: () => string,
): SendPlan {
  const { now, rules } = circumstances
  const groups = new Map<string, Group>()
  const settled: Matter[] = []
  const times: number[] = []
  for (const matter of matters) {
    const decision = decide(matter, circumstances)
    if (decision.kind === 'settled') settled.push(matter)
    else if (decision.kind === 'send') addTo(groups, matter, decision)
    else if (decision.until !== null) times.push(decision.until)
  }
  // Matters that become due within a moment of the first join it.
  const [ready, gathering] = split([...groups.values()], ({ since }) => since + rules.batchMs > now)
  times.push(...gathering.map(({ since }) => since + rules.batchMs))
  const planned = ready.map((group) => plannedOf(group, circumstances, newId()))
  return {
    rows: planned.map(({ row }) => row),
    changed: planned.flatMap(({ changed }) => changed),
    settled,
    nextAt: times.length === 0 ? null : Math.min(...times),
  }
}

function addTo(
  groups: Map<string, Group>,
  matter: Matter,
  { step, due, hasNext }: Decision & { kind: 'send' },
): void {
  const key = JSON.stringify([step.user, step.channel, step.isReminder])
  const group = groups.get(key) ?? { step, matters: [], hasNext: false, since: due }
  group.matters.push(matter)
  // One of them may have no other way: when this one has failed it is tried again, later.
  group.hasNext ||= hasNext
  group.since = Math.min(due, group.since)
  groups.set(key, group)
}

function split<Item>(items: readonly Item[], isSecond: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter((item) => !isSecond(item)), items.filter(isSecond)]
}

function plannedOf(
  { step, matters, hasNext }: Group,
  { now, rules }: Circumstances,
  id: string,
): { row: OutboxRow; changed: Matter[] } {
  const row: OutboxRow = {
    id,
    action: 'send',
    channel: step.channel,
    user: step.user,
    isReminder: step.isReminder,
    matterIds: matters.map((matter) => matter.id),
    subjects: matters.map(subjectOf),
    createdAt: now,
    giveUpAt: now + (hasNext ? Math.min(TRY_MS, rules.expireAfterMs) : rules.expireAfterMs),
    isLast: !hasNext,
    attempts: 0,
    nextTryAt: now,
    lastTryAt: null,
    error: null,
    state: 'pending',
    receipt: null,
    settled: null,
    isReported: false,
  }
  const sent = { notificationId: id, ...step, at: now, state: 'pending' as const }
  return { row, changed: matters.map((matter) => ({ ...matter, sent: [...matter.sent, sent] })) }
}
