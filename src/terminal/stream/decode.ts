/** Decodes a line into an event. */

import { type LifecycleEvent, type LineProblem, readEvent } from './event.js'

export type Decoded =
  | { readonly kind: 'event'; readonly event: LifecycleEvent; readonly raw: string }
  | { readonly kind: 'bad'; readonly problem: LineProblem }
  /** A line truncated by a full disk or a killed writer, directly followed by the whole line of the next writer. */
  | {
      readonly kind: 'glued'
      readonly event: LifecycleEvent
      readonly raw: string
      readonly fragment: string
    }
  | { readonly kind: 'blank' }

const BYTE_ORDER_MARK = 0xfeff
const RETURN = 13
const START = '{"id":"'
/** Limit of positions in a bad line that are tried as the start of another line. */
const STARTS = 8

export function decodeLine(text: string): Decoded {
  const raw = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text
  const read = parse(raw)
  if (typeof read !== 'string') return { kind: 'event', event: read, raw: withoutReturn(raw) }
  if (raw.trim() === '') return { kind: 'blank' }
  return findGlued(raw) ?? { kind: 'bad', problem: read }
}

function parse(text: string): LifecycleEvent | LineProblem {
  try {
    return readEvent(JSON.parse(text))
  } catch {
    return 'not_json'
  }
}

/**
 * Finds a whole line that starts inside a broken one. It must extend to the end: an object nested in another line does
 * not, and inside a string its quotes would be escaped.
 */
function findGlued(text: string): Decoded | null {
  let at = text.length
  for (let tries = 0; tries < STARTS; tries++) {
    at = at > 0 ? text.lastIndexOf(START, at - 1) : -1
    if (at <= 0) return null
    const raw = text.slice(at)
    const read = parse(raw)
    if (typeof read === 'string') continue
    return { kind: 'glued', event: read, raw: withoutReturn(raw), fragment: text.slice(0, at) }
  }
  return null
}

function withoutReturn(text: string): string {
  return text.charCodeAt(text.length - 1) === RETURN ? text.slice(0, -1) : text
}
