/** The visible time range of a timeline: zoom, pan, reveal. Pure. */

export interface Range {
  from: number
  to: number
}

const MIN_MS = 20

/** Keeps the range inside the timeline and at least `MIN_MS` wide. */
function clamp({ from, to }: Range, span: number): Range {
  const width = Math.min(span, Math.max(Math.min(MIN_MS, span), to - from))
  const start = Math.min(Math.max(0, from), span - width)
  return { from: start, to: start + width }
}

/** Scales the range by `factor` (below 1 zooms in) around the fixed point `at`. */
export function zoom({ from, to }: Range, span: number, factor: number, at = (from + to) / 2): Range {
  return clamp({ from: at - (at - from) * factor, to: at + (to - at) * factor }, span)
}

/** Moves the range by a fraction of its width. */
export function pan({ from, to }: Range, span: number, part: number): Range {
  const by = (to - from) * part
  return clamp({ from: from + by, to: to + by }, span)
}

/** Pans as little as needed to make an interval visible. */
export function reveal(range: Range, span: number, start: number, end: number): Range {
  const width = range.to - range.from
  if (end - start >= width || start < range.from) return clamp({ from: start, to: start + width }, span)
  return end > range.to ? clamp({ from: end - width, to: end }, span) : range
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500]
const LONGER_STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 86_400,
].map((seconds) => seconds * 1_000)

/** Round tick positions, at most `most` + 1 of them. */
export function ticks({ from, to }: Range, most: number): number[] {
  const wanted = (to - from) / most
  const step =
    [...STEPS, ...LONGER_STEPS].find((candidate) => candidate >= wanted) ??
    Math.ceil(wanted / 86_400_000) * 86_400_000
  const first = Math.ceil(from / step) * step
  const count = Math.floor((to - first) / step) + 1
  return Array.from({ length: Math.max(0, count) }, (_, index) => first + index * step)
}
