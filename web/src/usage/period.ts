/** Periods of the usage view, in the browser's time zone. Pure. */

import { dayOf } from '../ui/local-day.js'

export const PERIODS = ['today', 'week', 'month', 'quarter'] as const
export type Period = (typeof PERIODS)[number]

const DAYS = { month: 30, quarter: 90 } as const

/** The first day. Weeks begin on Monday, as in ISO 8601. */
export function startOf(period: Period, now: number): Date {
  const at = new Date(now)
  const daysBack = period === 'today' ? 0 : period === 'week' ? (at.getDay() + 6) % 7 : DAYS[period] - 1
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() - daysBack)
}

/** The keys of all rows of a chart, oldest first: hours of today, days otherwise. */
export function slotsOf(period: Period, now: number): string[] {
  const start = startOf(period, now)
  if (period === 'today')
    return Array.from({ length: 24 }, (_, hour) => `${dayOf(now)}T${String(hour).padStart(2, '0')}:00`)
  const slots: string[] = []
  const last = period === 'week' ? endOfWeek(start) : dayOf(now)
  for (let day = 0; slots.at(-1) !== last; day += 1)
    slots.push(dayOf(new Date(start.getFullYear(), start.getMonth(), start.getDate() + day).getTime()))
  return slots
}

function endOfWeek(monday: Date): string {
  return dayOf(new Date(monday.getFullYear(), monday.getMonth(), monday.getDate() + 6).getTime())
}

/** The cost of a period, from rows by day. */
export function costOf(
  rows: readonly { key: string; costUsd: number }[],
  period: Period,
  now: number,
): number {
  const first = dayOf(startOf(period, now).getTime())
  return rows.filter(({ key }) => key >= first).reduce((sum, { costUsd }) => sum + costUsd, 0)
}
