/** What flows through a pipe, out of a substitution or into a file: its text where it is known, and where it comes from. */

import type { Field, Shape } from './field.js'

export interface Stream {
  text: string | null
  taint: number
  /** The names that it lists, where they are known though the text is not. */
  names: readonly Field[] | null
  /** What every word of a text that is not known surely is. Lost as soon as something else is joined to it. */
  shape?: Shape
}

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
