/** What programs are given, as far as it is known: words, and the streams that they read. */

import { isKnown } from '../file/path.js'

export type Span = readonly [start: number, end: number]

/** One word as a program would receive it. */
export interface Field {
  /** Decoded; what is not known is `UNKNOWN`. Glob characters stand as they are. */
  text: string
  /** The same with everything that is only text escaped; null when there is nothing to match. */
  pattern: string | null
  taint: number
  /** What is read from it, for `<(…)`. */
  stream: Stream | null
  /** Stands for every file below this path, as `{}` does in `find -exec`. */
  isTree: boolean
  /** A pattern that is not quoted: each file that it fits becomes a word. */
  isMany?: boolean
  /** Not quoted and not known: it may become several words, or none. */
  isSplit?: boolean
  /** Not known, but surely of this shape. */
  shape?: Shape
  /** Stands for files of this name at any depth, as `find -name` lists them. */
  isFound?: boolean
  span: Span
}

/** What flows through a pipe, out of a substitution or into a file: its text where it is known, and where it comes from. */
export interface Stream {
  text: string | null
  taint: number
  /** The names that it lists, where they are known though the text is not. */
  names: readonly Field[] | null
  /** What every word of a text that is not known surely is. Lost as soon as something else is joined to it. */
  shape?: Shape
}

/** `revision`: an object id of a commit, or the name of a branch or a tag. It is no option, and it names no file. */
export type Shape = 'number' | 'revision'

/** What an expansion may come out as; a list for `$@` and `${list[@]}`. */
export interface Values {
  alternatives: readonly Field[]
  list: readonly Field[] | null
}

/** Where bytes come from. A word or a stream may have several of these. */
export const Taint = {
  /** The content of a protected file. */
  secret: 1,
  /** Downloaded, decoded or decrypted: nobody has seen it. */
  unseen: 2,
  /** What an interactive shell answers. */
  shell: 4,
  /** A variable of the environment, which may be a secret. */
  variable: 8,
  /** From a program that reads the network. */
  network: 16,
} as const

/** Surely this one word. */
export function isLiteral({ text, pattern, stream, isTree, isSplit, isFound }: Field): boolean {
  const isOne = !isTree && isSplit !== true && isFound !== true
  return isKnown(text) && pattern === null && stream === null && isOne
}

export function literal(text: string, span: Span, taint = 0): Field {
  return { text, pattern: null, taint, stream: null, isTree: false, span }
}

/** What follows an option's name in the same word. */
export function tail(field: Field, length: number): Field {
  return {
    ...field,
    text: field.text.slice(length),
    pattern: field.pattern === null ? null : field.pattern.slice(length),
  }
}

export function taintOf(fields: readonly Field[]): number {
  let taint = 0
  for (const field of fields) taint |= field.taint
  return taint
}

export function escapePattern(text: string): string {
  return text.replaceAll(/[*?[\]\\(){}!+@|]/g, '\\$&')
}
