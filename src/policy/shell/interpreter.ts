/**
 * Abstract interpreter for shell commands: follows every simple command, word, redirection and file without running
 * anything.
 */

import { type ParsedScript, parse, type Word } from 'unbash'
import { spend } from '../../lib/step-budget.js'
import { type Reason, reason, reasonOf, withPart } from '../../protocol/reason/reason.js'
import type { CallEnvironment } from '../file/call-environment.js'
import { type Access, isProtected, judgeAccess, READS } from '../file/file-access.js'
import { UNKNOWN } from '../file/path.js'
import { type Target, targetAt } from '../file/target.js'
import type { Finding, FindingRule } from '../finding.js'
import type { AccessOptions, Mount } from '../program/judge-context.js'
import { type Field, isLiteral, literal, type Span, type Stream, Taint } from './field.js'
import { costOfParsing, MAX_DEPTH, ReadingEnded, tooLarge } from './limit.js'
import { runWords } from './run-program.js'
import type { FunctionCall, ShellContext } from './shell-context.js'
import type { PathUse, ReadCommand } from './shell-report.js'
import { State } from './state.js'
import { ANYTHING, NOTHING } from './stream.js'
import { walkScript } from './walk.js'
import { expandWord } from './word/expand.js'

const STEPS_OF_PIECE = 75

export class ShellInterpreter implements ShellContext {
  readonly environment: CallEnvironment
  readonly source: string
  readonly findings: Finding[] = []
  readonly commands: ReadCommand[] = []
  readonly uses: PathUse[] = []
  /** The call graph of functions, with calls in parallel: used to detect fork bombs. */
  readonly calls: FunctionCall[] = []
  state: State
  /** Null: the input is unknown, as from a terminal. */
  stdin: Stream | null = null
  mount: Mount = (path) => path
  /** The functions that are being read, innermost last. */
  functions: readonly string[] = []
  /** The number of enclosing pipes and background jobs. */
  parallel = 0
  readonly #scriptsRead = new WeakSet<ParsedScript>()
  #fixedSpan: Span | null = null
  #depth = 0
  #command: number | null = null
  #words: readonly Field[] | null = null

  constructor(environment: CallEnvironment, source: string) {
    this.environment = environment
    this.source = source
    this.state = new State({ folders: [environment.folder] })
    const known = {
      HOME: environment.home,
      PWD: environment.folder,
      USER: environment.user,
      LOGNAME: environment.user,
      IFS: ' \t\n',
    }
    for (const [name, text] of Object.entries(known)) this.state.set(name, [literal(text, [0, 0])])
  }

  /** Charges the budget, so that reading terminates: one for a word or a small command. */
  spend(pieces = 1): void {
    spend(pieces * STEPS_OF_PIECE)
  }

  span(node: { pos: number; end: number }): Span {
    return this.#fixedSpan ?? [node.pos, node.end]
  }

  report(
    verdict: 'deny' | 'ask',
    rule: FindingRule,
    why: Reason,
    [start, end]: Span,
    { isContained = false, isProvable = false } = {},
  ): void {
    spend(10)
    const text = this.source.slice(start, end)
    this.findings.push({
      verdict,
      rule,
      reason: withPart(why, text),
      part: { text, start, end },
      command: this.#command,
      ...(isContained && { isContained }),
      ...(isProvable && { isProvable }),
    })
  }

  ask(rule: FindingRule, why: Reason, span: Span): void {
    this.report('ask', rule, why, span)
  }

  /** Asks about a read that the read-only jail contains. */
  askContained(rule: FindingRule, why: Reason, span: Span): void {
    this.report('ask', rule, why, span, { isContained: true })
  }

  /** The same, for something that only the interpreter does not follow and that may still be proven. */
  askUnfollowed(rule: FindingRule, why: Reason, span: Span): void {
    this.report('ask', rule, why, span, { isContained: true, isProvable: true })
  }

  deny(rule: FindingRule, why: Reason, span: Span): void {
    this.report('deny', rule, why, span)
  }

  /** Records a simple command; findings inside `action` belong to it. */
  inCommand<Result>(words: readonly Field[], span: Span, action: () => Result): Result {
    const outer = this.#command
    const outerWords = this.#words
    this.#command = this.commands.length
    this.#words = words
    const { folders } = this.state
    // Made once, and only if they are read: each rule compares them with each finding.
    let texts: string[] | null = null
    let sure: boolean[] | null = null
    this.commands.push({
      get words() {
        return (texts ??= words.map(({ text }) => text.replaceAll(UNKNOWN, '…')))
      },
      get isSure() {
        return (sure ??= words.map(isLiteral))
      },
      folders,
      span,
    })
    const result = action()
    this.#command = outer
    this.#words = outerWords
    return result
  }

  /** Restores the state afterwards: a subshell cannot change its parent. */
  inSubshell<Result>(action: () => Result): Result {
    this.spend(3)
    const { state, stdin } = this
    this.state = state.fork()
    const result = action()
    this.state = state
    this.stdin = stdin
    return result
  }

  /** For text that may be something else: what `action` finds counts only if it denies. */
  onlyDenials(action: () => void): void {
    const { findings, commands, uses } = this
    const before = { findings: findings.length, commands: commands.length, uses: uses.length }
    action()
    const denials = findings.slice(before.findings).filter(({ verdict }) => verdict === 'deny')
    findings.length = before.findings
    findings.push(...denials)
    // The denials name the commands by their index.
    if (denials.length > 0) return
    commands.length = before.commands
    uses.length = before.uses
  }

  withStdin<Result>(stdin: Stream | null, action: () => Result): Result {
    const outer = this.stdin
    this.stdin = stdin
    const result = action()
    this.stdin = outer
    return result
  }

  /** For text that is not part of the command text: all findings get the position `span`. */
  at<Result>(span: Span, action: () => Result): Result {
    const outer = this.#fixedSpan
    this.#fixedSpan = outer ?? span
    const result = action()
    this.#fixedSpan = outer
    return result
  }

  /** Another root or machine, where paths name other files. */
  elsewhere<Result>(mount: Mount, folder: string, action: () => Result): Result {
    const outer = this.mount
    this.mount = mount
    const result = this.inSubshell(() => {
      this.state.folders = [folder]
      return action()
    })
    this.mount = outer
    return result
  }

  runWords(words: readonly Field[], span: Span): Stream {
    this.spend(1 + words.length / 20)
    if (this.#depth > MAX_DEPTH) throw new ReadingEnded()
    this.#depth++
    // The command that a wrapper runs is recorded as a command of its own.
    const run = () => runWords(this, words, span)
    const out = words === this.#words ? run() : this.inCommand(words, span, run)
    this.#depth--
    return out
  }

  /** Shell text that runs in this shell, as by `eval`. Use `inSubshell` for another shell. */
  runText(text: string, span: Span): Stream {
    this.spend(costOfParsing(text))
    if (this.#depth > MAX_DEPTH) throw new ReadingEnded()
    const problem = tooLarge(text)
    if (problem !== null) {
      this.ask('too-large', problem, span)
      return ANYTHING
    }
    this.#depth++
    const out = this.at(span, () => walkScript(this, parse(text), text))
    this.#depth--
    return out
  }

  /** The script of a substitution; undefined if the parser could not produce one. */
  substitute(script: ParsedScript | undefined, span: Span): Stream {
    if (script === undefined) {
      this.ask('unreadable', reason('shell.unreadable-part'), span)
      return ANYTHING
    }
    this.spend()
    if (this.#depth > MAX_DEPTH) throw new ReadingEnded()
    this.#scriptsRead.add(script)
    this.#depth++
    const walk = () => this.inSubshell(() => walkScript(this, script, script.source))
    const out = script.source === undefined ? walk() : this.at(span, walk)
    this.#depth--
    return out
  }

  /** Whether the script of a substitution has been judged already. */
  hasRead(script: ParsedScript): boolean {
    return this.#scriptsRead.has(script)
  }

  /** A word without splitting and globbing. */
  expandWhole(word: Word): Field[] {
    return expandWord(this, word, 'whole')
  }

  targets({ text, pattern }: Field): Target[] {
    return this.state.folders.flatMap((folder) => {
      const place = this.mount(text.startsWith('/') ? text : `${folder}/${text}`)
      if (place === null) return []
      const isMoved = place !== text && place !== `${folder}/${text}`
      const moved = isMoved && pattern !== null ? this.#mountPattern(folder, pattern) : pattern
      const target = targetAt(this.#overlaid(), folder, isMoved ? place : text, moved)
      return [target.isTooLong === true ? target : { ...target, shown: text }]
    })
  }

  /** A glob inside a container matches the files that are mounted there. */
  #mountPattern(folder: string, pattern: string): string | null {
    return this.mount(pattern.startsWith('/') ? pattern : `${folder}/${pattern}`)
  }

  /** The environment with the symlinks that this command has created. */
  #overlaid(): CallEnvironment {
    const { files } = this.state
    if (files.size === 0) return this.environment
    const { fs } = this.environment
    return {
      ...this.environment,
      fs: {
        ...fs,
        readLink: (path) => {
          const note = files.get(path)
          return note?.kind === 'link' ? note.target : fs.readLink(path)
        },
      },
    }
  }

  access(
    access: Access,
    field: Field,
    { isRecursive = false, content = NOTHING, tree = {} }: AccessOptions = {},
  ): void {
    this.spend(3)
    if (field.stream !== null) return
    if (access === 'read' && (field.isTree || field.isFound === true))
      this.askUnfollowed('unknown-value', reason('shell.unknown-files'), field.span)
    const targets = this.targets(field)
    for (const target of targets) {
      const isTree = isRecursive || field.isTree
      const judgement = judgeAccess(access, target, this.environment, { isRecursive: isTree, tree })
      this.uses.push({ access, target, command: this.#command, isTree, isFound: field.isFound === true })
      if (judgement !== null) {
        const { verdict, rule, reason: why, isContained = false } = judgement
        // Of several possible folders, one leads out of the workspace, where the jail shows nothing.
        const isDoubtful = rule === 'outside-workspace' && targets.length > 1 && READS.has(access)
        const isProvable = rule === 'unknown-value' && isContained
        const shown = why.code.endsWith('.unknown') ? this.#quoted(why, field.span) : why
        this.report(verdict, rule, shown, field.span, { isContained: isContained || isDoubtful, isProvable })
      }
      if (access === 'write') this.#deliver(content, target, field)
    }
  }

  /** For an unknown path, the text of the command is more useful than the path it may become. */
  #quoted(why: Reason, [start, end]: Span): Reason {
    const path = this.source.slice(start, end)
    return path === '' ? why : reasonOf(why.code, { ...why.params, path })
  }

  /** A tree of which git shows the stored content. */
  showStored(path: string, shown: string, isOlder: boolean): void {
    const target = { ...targetAt(this.environment, '/', path), shown }
    const stored = isOlder ? 'ever' : 'tracked'
    this.uses.push({ access: 'read', target, command: this.#command, isTree: true, stored })
  }

  #deliver(content: Stream, target: Target, { span }: Field): void {
    const isSocket = /^\/dev\/(?:tcp|udp)\//.test(target.path)
    if (/^\/dev\/(?:null|stdout|stderr|tty|stdin|fd\/\d+)$/.test(target.path)) return
    if (content.taint & Taint.secret) {
      this.deny('protected-copy', reason('shell.secret-to', { path: target.shown }), span)
    }
    if (isSocket && content.taint & Taint.shell) {
      this.deny('reverse-shell', reason('shell.connected-to', { path: target.shown }), span)
    }
    if (target.isKnown && target.pattern === null) {
      this.state.files.set(target.path, { kind: 'content', stream: content })
    }
  }

  isProtected(field: Field): boolean {
    this.spend(5)
    return this.targets(field).some((target) => isProtected(target, this.environment))
  }

  /** The content of a file: written by this command, or inferred from the name. */
  contentOf(field: Field): Stream {
    if (field.stream !== null) return field.stream
    const [first = ANYTHING, ...others] = this.targets(field).map((target) => this.#contentAt(target))
    if (others.length === 0) return first
    return { text: null, taint: others.reduce((sum, { taint }) => sum | taint, first.taint), names: null }
  }

  #contentAt(target: Target): Stream {
    if (/^\/dev\/(?:stdin|fd\/0)$|^\/proc\/self\/fd\/0$/.test(target.path)) return this.stdin ?? ANYTHING
    const descriptor = /^\/dev\/fd\/(\d+)$/.exec(target.path)?.[1]
    if (descriptor !== undefined) return this.state.descriptors.get(Number(descriptor)) ?? ANYTHING
    if (/^\/dev\/(?:tcp|udp)\//.test(target.path)) {
      return { text: null, taint: Taint.unseen | Taint.network, names: null }
    }
    const note = this.state.files.get(target.path)
    if (note?.kind === 'content') return note.stream
    this.spend(5)
    return isProtected(target, this.environment) ? { text: null, taint: Taint.secret, names: null } : ANYTHING
  }
}
