/** The shell as the judge of a program sees it. Judges depend on this interface, never on the interpreter. */

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
  /** The state of the shell at this point. */
  readonly state: State
  /** Null: the input is unknown, as from a terminal. */
  stdin: Stream | null
  readonly mount: Mount
  /** All findings reported so far. */
  readonly findings: Finding[]

  report(
    verdict: 'deny' | 'ask',
    rule: FindingRule,
    reason: Reason,
    span: Span,
    options?: { isContained?: boolean; isProvable?: boolean },
  ): void
  ask(rule: FindingRule, reason: Reason, span: Span): void
  /** Asks about a read that the read-only jail contains. */
  askContained(rule: FindingRule, reason: Reason, span: Span): void
  /** The same, for something that only the interpreter does not follow and that may still be proven. */
  askUnfollowed(rule: FindingRule, reason: Reason, span: Span): void
  deny(rule: FindingRule, reason: Reason, span: Span): void

  /** The program accesses a file: records the use and reports findings. */
  access(access: Access, field: Field, options?: AccessOptions): void
  /** A tree of which git shows the stored content. */
  showStored(path: string, shown: string, isOlder: boolean): void
  isProtected(field: Field): boolean
  targets(field: Field): Target[]
  /** The content of a file: written by this command, or inferred from the name. */
  contentOf(field: Field): Stream

  /** Judges another program that this one runs. */
  runWords(words: readonly Field[], span: Span): Stream
  /** Shell text that runs in this shell, as by `eval`. Use `inSubshell` for another shell. */
  runText(text: string, span: Span): Stream
  /** Restores the state afterwards: a subshell cannot change its parent. */
  inSubshell<Result>(action: () => Result): Result
  /** For text that may be something else: what `action` finds counts only if it denies. */
  onlyDenials(action: () => void): void
  withStdin<Result>(stdin: Stream | null, action: () => Result): Result
  /** Another root or machine, where paths name other files. */
  elsewhere<Result>(mount: Mount, folder: string, action: () => Result): Result
}

export interface AccessOptions {
  isRecursive?: boolean
  /** The content that is written. */
  content?: Stream
  /** The files that a recursive reader opens. */
  tree?: TreeOptions
}

/** Maps a path of the command to a path on this machine; null if it is not on this machine (a container). */
export type Mount = (path: string) => string | null
