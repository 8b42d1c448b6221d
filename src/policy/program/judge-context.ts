/** All that the judge of a program sees of the shell that would run it. Judges depend on this, never on the interpreter. */

import type { Reason } from '../../protocol/reason/reason.js'
import type { CallEnvironment } from '../file/call-environment.js'
import type { Access } from '../file/file-access.js'
import type { Target } from '../file/target.js'
import type { TreeOptions } from '../file/tree.js'
import type { Finding, FindingRule } from '../finding.js'
import type { Field, Span, Stream } from '../shell/field.js'
import type { State } from '../shell/state.js'

export interface JudgeContext {
  readonly environment: CallEnvironment
  /** What the shell knows at this point. */
  readonly state: State
  /** Null: nothing is known about what comes in, as from a terminal. */
  stdin: Stream | null
  readonly mount: Mount
  /** Everything that was reported until here. */
  readonly findings: Finding[]

  report(
    verdict: 'deny' | 'ask',
    rule: FindingRule,
    reason: Reason,
    span: Span,
    options?: { isContained?: boolean; isProvable?: boolean },
  ): void
  ask(rule: FindingRule, reason: Reason, span: Span): void
  /** Asks about what is only read: the read-only jail contains it. */
  askContained(rule: FindingRule, reason: Reason, span: Span): void
  /** The same about what is only not followed here, and may be proven. */
  askUnfollowed(rule: FindingRule, reason: Reason, span: Span): void
  deny(rule: FindingRule, reason: Reason, span: Span): void

  /** The program touches a file: notes it, and reports what speaks against it. */
  access(access: Access, field: Field, options?: AccessOptions): void
  /** A tree of which git shows what it has stored. */
  showStored(path: string, shown: string, isOlder: boolean): void
  isProtected(field: Field): boolean
  targets(field: Field): Target[]
  /** What is read from a file: what this command has put there, or what can be said about it by its name. */
  contentOf(field: Field): Stream

  /** Judges another program that this one runs. */
  runWords(words: readonly Field[], span: Span): Stream
  /** Shell text that is run here, as by `eval`. Callers of another shell use `inSubshell`. */
  runText(text: string, span: Span): Stream
  /** What happens in a subshell stays there. */
  inSubshell<Result>(action: () => Result): Result
  withStdin<Result>(stdin: Stream | null, action: () => Result): Result
  /** Another root or machine: paths mean other places. */
  elsewhere<Result>(mount: Mount, folder: string, action: () => Result): Result
}

export interface AccessOptions {
  isRecursive?: boolean
  /** What is written. */
  content?: Stream
  /** What a recursive reader looks into. */
  tree?: TreeOptions
}

/** Where a path of the command lies on this machine; null for a place that is not on it (a container). */
export type Mount = (path: string) => string | null
