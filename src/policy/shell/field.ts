/** The values that programs receive, as far as they are known: words, and the streams that they read. */

import { isKnown } from '../file/path.js'

export type Span = readonly [start: number, end: number]

/** One word as a program would receive it. */
export interface Field {
  /** Decoded; unknown parts are `UNKNOWN`. Glob characters are kept. */
  text: string
  /** The same with literal text escaped; null if there is no glob. */
  pattern: string | null
  taint: number
  /** The stream behind the word, for `<(…)`. */
  stream: Stream | null
  /** Stands for every file below this path, like `{}` in `find -exec`. */
  isTree: boolean
  /** An unquoted pattern: each matching file becomes a word. */
  isMany?: boolean
  /** Unquoted and unknown: it may become several words, or none. */
  isSplit?: boolean
  /** Unknown, but always of this shape. */
  shape?: Shape
  /** Stands for files of this name at any depth, as `find -name` lists them. */
  isFound?: boolean
  span: Span
}

/** The data in a pipe, a substitution or a file: its text if known, and its taint. */
export interface Stream {
  text: string | null
  taint: number
  /** The names that it lists, if they are known although the text is not. */
  names: readonly Field[] | null
  /** The shape of every word in an unknown text. Lost as soon as other text is joined to it. */
  shape?: Shape
}

/** `revision`: an object id of a commit, or the name of a branch or a tag. It is neither an option nor a file name. */
export type Shape = 'number' | 'revision'

/** The possible values of an expansion; a list for `$@` and `${list[@]}`. */
export interface Values {
  alternatives: readonly Field[]
  list: readonly Field[] | null
}

/** Taint: the origin of bytes, as bit flags. */
export const Taint = {
  /** The content of a protected file. */
  secret: 1,
  /** Downloaded, decoded or decrypted: the user has not seen it. */
  unseen: 2,
  /** The output of an interactive shell. */
  shell: 4,
  /** An environment variable, which may be a secret. */
  variable: 8,
  /** From a program that reads the network. */
  network: 16,
} as const

/** Exactly this one word. */
export function isLiteral({ text, pattern, stream, isTree, isSplit, isFound }: Field): boolean {
  const isOne = !isTree && isSplit !== true && isFound !== true
  return isKnown(text) && pattern === null && stream === null && isOne
}

export function literal(text: string, span: Span, taint = 0): Field {
  return { text, pattern: null, taint, stream: null, isTree: false, span }
}

/** The rest of a word behind the name of an option. */
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
