/** The interpreter as its parts see it: the context of a judge, and the operations to walk a script. */

import type { ParsedScript, Word } from 'unbash'
import type { JudgeContext } from '../program/judge-context.js'
import type { Field, Span, Stream } from './field.js'
import type { State } from './state.js'

export interface ShellContext extends JudgeContext {
  readonly source: string
  /** Replaced at branches and in subshells. */
  state: State
  /** The call graph of functions, with calls in parallel: used to detect fork bombs. */
  readonly calls: FunctionCall[]
  /** The functions that are being read, innermost last. */
  functions: readonly string[]
  /** The number of enclosing pipes and background jobs. */
  parallel: number

  /** Charges the budget, so that reading terminates: one for a word or a small command. */
  spend(pieces?: number): void
  span(node: { pos: number; end: number }): Span
  /** Records a simple command; findings inside `action` belong to it. */
  inCommand<Result>(words: readonly Field[], span: Span, action: () => Result): Result
  /** For text that is not part of the command text: all findings get the position `span`. */
  at<Result>(span: Span, action: () => Result): Result
  /** The script of a substitution; undefined if the parser could not produce one. */
  substitute(script: ParsedScript | undefined, span: Span): Stream
  /** Whether the script of a substitution has been judged already. */
  hasRead(script: ParsedScript): boolean
  /** A word without splitting and globbing. */
  expandWhole(word: Word): Field[]
}

export interface FunctionCall {
  from: string
  to: string
  isParallel: boolean
}
