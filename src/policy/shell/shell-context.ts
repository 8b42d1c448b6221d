/** What the parts of the interpreter see of it: all that a judge sees, and what it takes to walk a script. */

import type { ParsedScript, Word } from 'unbash'
import type { JudgeContext } from '../program/judge-context.js'
import type { Field, Span, Stream } from './field.js'
import type { State } from './state.js'

export interface ShellContext extends JudgeContext {
  readonly source: string
  /** Replaced at branches and subshells. */
  state: State
  /** Who calls whom, and whether side by side: a fork bomb shows here. */
  readonly calls: FunctionCall[]
  /** The functions that are being read, innermost last. */
  functions: readonly string[]
  /** How many pipes and background jobs this is inside of. */
  parallel: number

  /** Each piece of work counts, so that reading ends: one for a word or a small command. */
  spend(pieces?: number): void
  span(node: { pos: number; end: number }): Span
  /** Notes a simple command; findings inside `action` are about it. */
  inCommand<Result>(words: readonly Field[], span: Span, action: () => Result): Result
  /** For text that does not stand in the command as it is: all of it is told to be at `span`. */
  at<Result>(span: Span, action: () => Result): Result
  /** The script of a substitution; undefined when the parser could not make one. */
  substitute(script: ParsedScript | undefined, span: Span): Stream
  /** Whether the script of a substitution was judged already. */
  hasRead(script: ParsedScript): boolean
  /** A word that is neither split nor globbed. */
  expandWhole(word: Word): Field[]
}

export interface FunctionCall {
  from: string
  to: string
  isParallel: boolean
}
