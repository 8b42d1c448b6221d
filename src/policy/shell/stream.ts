/** Common streams, and the concatenation of two streams. */

import type { Stream } from './field.js'

export const NOTHING: Stream = { text: '', taint: 0, names: null }
export const ANYTHING: Stream = { text: null, taint: 0, names: null }

const MAX_TEXT = 65_536

export function textStream(text: string, taint = 0): Stream {
  return { text: text.length > MAX_TEXT ? null : text, taint, names: null }
}

export function join(first: Stream, second: Stream): Stream {
  if (first === NOTHING) return second
  if (second === NOTHING) return first
  const text = first.text === null || second.text === null ? null : first.text + second.text
  return {
    text: text !== null && text.length > MAX_TEXT ? null : text,
    taint: first.taint | second.taint,
    names: null,
  }
}
