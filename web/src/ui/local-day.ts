/** Days of the browser's time zone, as date fields have them: 2026-11-16. */

/** The start of a day, or of one some days later, as a timestamp. Null for text that is no day. */
export function startOfDay(day: string, later = 0): string | null {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? []
  if (year === undefined) return null
  return new Date(Number(year), Number(month) - 1, Number(date) + later).toISOString()
}

export function dayOf(time: number): string {
  // The Swedish locale formats dates as YYYY-MM-DD.
  return new Date(time).toLocaleDateString('sv-SE')
}
