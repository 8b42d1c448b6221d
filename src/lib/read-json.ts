/** Reads values of untrusted shape. A value of another type reads as empty, never as an error. */

export type Loose = Readonly<Record<string, unknown>>

export function asRecord(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {}
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

export function asTexts(value: unknown): string[] {
  return asList(value).filter((item) => typeof item === 'string')
}

/** A finite number, not below zero: what counts, durations and prices are. */
export function asCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
}
