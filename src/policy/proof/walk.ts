/**
 * Walks a command as the shell may run it: each simple command is checked in every folder in which it may run. A `cd`
 * that may fail, or may not be reached, keeps the old folder as a possibility.
 */

import { isLocaleVariable, isUniformLocale } from '../../lib/locale-variable.js'
import { reason } from '../../protocol/reason/reason.js'
import { UNKNOWN } from '../file/path.js'
import { changeFolder, exitShell, readVariables } from './builtin.js'
import type { Context, Names } from './context.js'
import { mayRunForever, SPILLING } from './endless.js'
import { areLiteral, Fields } from './field.js'
import type { Field, Places } from './place.js'
import { checkFor, isVersionQuestion } from './program/table.js'
import { checkDoubleBrackets } from './program/test-command.js'
import {
  assigned,
  both,
  either,
  isOrdinary,
  isSame,
  joined,
  MAX_FOLDERS,
  type Outcome,
  type Scope,
} from './scope.js'
import type { Assignment, Node, Redirection, Word } from './syntax.js'
import { refuse, Unproven } from './unproven.js'

interface Input {
  hasInput: boolean
  names: Names | null
}

/** The circumstances of a simple command that is not proven. */
export interface CoveredManner {
  /** The folders in which it may run, symlinks resolved. */
  folders: readonly string[]
  /** Its input is neither piped nor redirected, and it writes to no file. */
  isPlain: boolean
}

/** Whether a rule or a grant covers a simple command. All of its words are known. */
export type Covers = (words: readonly string[], manner: CoveredManner) => boolean

const NO_INPUT: Input = { hasInput: false, names: null }
const MAX_ROUNDS = 100

/** Nested loops walk the same nodes repeatedly, with all their expansions. */
const NODE_STEPS = 40

/** Not a path: a locale or a time zone may be read from a file. */
const HARMLESS_VALUE = /^(?:[A-Za-z0-9][A-Za-z0-9_.@+,-]*(?:\/[A-Za-z0-9_+-]+)?)?$/
/** Environment variables that change only the display of text. */
const HARMLESS_PREFIX = /^(?:LC_[A-Z]+|LANG|LANGUAGE|TZ|NO_COLOR)$/
export class Walker {
  readonly #places: Places
  readonly #covers: Covers
  readonly #fields: Fields
  /** The names that the last checked command would print. */
  #names: Names | null = null
  /** Whether something before this place may print without an end. */
  #isEndless = false

  constructor(places: Places, covers: Covers) {
    this.#places = places
    this.#covers = covers
    this.#fields = new Fields(places)
  }

  walk(node: Node, scope: Scope, input: Input = NO_INPUT): Outcome {
    this.#places.budget.spend(NODE_STEPS)
    this.#names = null
    switch (node.kind) {
      case 'simple':
        return this.#simple(node, scope, input)
      case 'list':
        return this.#list(node.items, scope, input)
      case 'chain':
        return this.#chain(node, scope, input)
      case 'not': {
        const { yes, no } = this.walk(node.body, scope, input)
        return { yes: no, no: yes }
      }
      case 'pipe':
        return this.#pipe(node.items, scope, input)
      case 'group':
        return this.#group(node, scope, input)
      case 'if':
        return this.#if(node, scope, input)
      case 'for':
        return this.#for(node, scope, input)
      case 'while':
        return this.#while(node, scope, input)
      case 'test':
        return this.#test(node, scope)
    }
  }

  #list(items: readonly Node[], scope: Scope, input: Input): Outcome {
    let outcome: Outcome = { yes: scope, no: scope }
    for (const item of items) outcome = this.walk(item, either(outcome), input)
    this.#names = null
    return outcome
  }

  #chain({ operator, left, right }: Extract<Node, { kind: 'chain' }>, scope: Scope, input: Input): Outcome {
    const first = this.walk(left, scope, input)
    const start = operator === '&&' ? first.yes : first.no
    if (start === null) return refuse(reason('proof.after-exit'), null)
    const second = this.walk(right, start, input)
    this.#names = null
    if (operator === '&&') return { yes: second.yes, no: joined(first.no, second.no) }
    return { yes: joined(first.yes, second.yes), no: second.no }
  }

  /** Each part runs in a subshell. */
  #pipe(items: readonly Node[], scope: Scope, input: Input): Outcome {
    let given = input
    for (const item of items) {
      this.walk(item, scope, given)
      given = { hasInput: true, names: this.#names }
    }
    return { yes: scope, no: scope }
  }

  #group(
    { isSubshell, body, redirections }: Extract<Node, { kind: 'group' }>,
    scope: Scope,
    input: Input,
  ): Outcome {
    const given = this.#redirected(redirections, scope, input)
    const outcome = this.walk(body, scope, given)
    return isSubshell ? { yes: scope, no: scope } : outcome
  }

  #if(node: Extract<Node, { kind: 'if' }>, scope: Scope, input: Input): Outcome {
    const given = this.#redirected(node.redirections, scope, input)
    const { yes, no } = this.walk(node.condition, scope, given)
    if (yes === null || no === null) return refuse(reason('proof.after-exit'), null)
    const first = this.walk(node.body, yes, given)
    const second = node.otherwise === null ? { yes: no, no } : this.walk(node.otherwise, no, given)
    this.#names = null
    return {
      yes: joined(first.yes, second.yes),
      no: joined(first.no, second.no),
    }
  }

  #for(
    { name, words, body, redirections, at }: Extract<Node, { kind: 'for' }>,
    scope: Scope,
    input: Input,
  ): Outcome {
    if (!isOrdinary(name)) refuse(reason('proof.variable', { variable: `$${name}` }), at)
    const given = this.#redirected(redirections, scope, input)
    this.#substitutions(words, scope)
    let all: Scope = scope
    // The output of a command becomes any number of unknown words.
    const listed = words.filter(isOutput)
    for (const known of this.#fields.ways(
      words.filter((word) => !listed.includes(word)),
      scope,
    )) {
      let state = scope
      const values = listed.length > 0 ? [...known, { text: UNKNOWN }] : known
      if (values.length > MAX_ROUNDS) refuse(reason('proof.loop-rounds'), at)
      for (const { text } of values) state = either(this.walk(body, assigned(state, name, text), given))
      all = both(all, state)
    }
    this.#names = null
    return { yes: all, no: all }
  }

  #while(
    { condition, body, redirections, at }: Extract<Node, { kind: 'while' }>,
    scope: Scope,
    input: Input,
  ): Outcome {
    const given = this.#redirected(redirections, scope, input)
    // Input ends, and `read` with it; any other condition may hold for ever.
    if (!(condition.kind === 'simple' && condition.words[0]?.bare === 'read')) this.#isEndless = true
    let state = scope
    for (let round = 0; round < MAX_FOLDERS; round++) {
      const tested = either(this.walk(condition, state, given))
      const next = both(state, both(tested, either(this.walk(body, tested, given))))
      if (isSame(state, next)) {
        this.#names = null
        return { yes: state, no: state }
      }
      state = next
    }
    return refuse(reason('proof.loop'), at)
  }

  #test({ words, at }: Extract<Node, { kind: 'test' }>, scope: Scope): Outcome {
    this.#substitutions(words, scope)
    const fields = words.map((word) =>
      word.pieces.length === 0
        ? { text: word.bare ?? '', at: word.start }
        : this.#fields.single(word, scope, { isAssigned: true }),
    )
    checkDoubleBrackets(fields, this.#context('[[', at, scope, NO_INPUT))
    return { yes: scope, no: scope }
  }

  #simple(node: Extract<Node, { kind: 'simple' }>, scope: Scope, input: Input): Outcome {
    const { assignments, words, redirections, at } = node
    this.#substitutions([...words, ...assignments.map(({ value }) => value)], scope)
    if (words.length === 0) {
      this.#redirected(redirections, scope, input)
      const state = assignments.reduce((before, assignment) => this.#assign(assignment, before), scope)
      return { yes: state, no: state }
    }
    const ways = this.#fields.ways(words, scope)
    const [literal = []] = ways
    const program = words[0]?.bare ?? null
    try {
      for (const { name, value } of assignments) {
        const isHarmless = HARMLESS_PREFIX.test(name) || (name === 'IFS' && program === 'read')
        const field = this.#fields.single(value, scope, { isAssigned: true })
        const isRead = name === 'IFS' || HARMLESS_VALUE.test(field.text)
        const isUniform = !isLocaleVariable(name) || isUniformLocale(name, field.text)
        if (!isHarmless || !areLiteral([field]) || !isRead || !isUniform)
          refuse(reason('proof.variable', { variable: name }), value.start)
      }
      const given = this.#redirected(redirections, scope, input)
      if (program === null) return refuse(reason('proof.unknown-program'), at)
      if (program === 'cd') return changeFolder(this.#places, literal, ways.length, scope)
      if (program === 'exit') return exitShell(literal, at)
      if (program === 'read') return readVariables(literal, scope)
      for (const [, ...args] of ways)
        this.#names = this.#check(program, args, this.#context(program, at, scope, given))
      // Only the names of the last way were kept, so they are incomplete.
      if (ways.length > 1) this.#names = null
      return { yes: scope, no: scope }
    } catch (error) {
      const isCovered = error instanceof Unproven && this.#isCovered(node, ways, scope, input)
      if (!isCovered) throw error
      this.#names = null
      return { yes: scope, no: scope }
    }
  }

  /** A command that a rule or a grant covers: its words and the files of its redirections must be known. */
  #isCovered(
    { assignments, redirections }: Extract<Node, { kind: 'simple' }>,
    ways: readonly Field[][],
    scope: Scope,
    input: Input,
  ): boolean {
    const files = redirections.flatMap((redirection) =>
      redirection.kind === 'output' || redirection.kind === 'input'
        ? [this.#fields.single(redirection.word, scope)]
        : [],
    )
    if (assignments.length > 0 || !areLiteral(files)) return false
    const isPlain = !input.hasInput && redirections.every(({ kind }) => kind === 'harmless')
    return ways.every(
      (words) =>
        areLiteral(words) &&
        !SHELL_WORDS.has(words[0]?.text ?? '') &&
        this.#covers(
          words.map(({ text }) => text),
          { folders: scope.folders, isPlain },
        ),
    )
  }

  #check(program: string, args: readonly Field[], context: Context): Names | null {
    if (
      areLiteral(args) &&
      isVersionQuestion(
        program,
        args.map(({ text }) => text),
      )
    )
      return null
    const check = checkFor(program) ?? refuse(reason('proof.program', { program }), context.at)
    if (this.#isEndless && SPILLING.has(program)) refuse(reason('proof.loop-rounds'), context.at)
    this.#isEndless ||= mayRunForever(program, args)
    return check(args, context) ?? null
  }

  #context(program: string, at: number, scope: Scope, { hasInput, names }: Input): Context {
    return {
      places: this.#places,
      program,
      at,
      folders: scope.folders,
      hasInput,
      input: names,
      run: ([first, ...args], given = null) => {
        const name =
          first === undefined || first.pattern !== undefined || !areLiteral([first]) ? '' : first.text
        return this.#check(
          name,
          args,
          this.#context(name, first?.at ?? at, scope, {
            hasInput: given !== null,
            names: given,
          }),
        )
      },
    }
  }

  #redirected(redirections: readonly Redirection[], scope: Scope, input: Input): Input {
    let given = input
    for (const redirection of redirections) {
      if (redirection.kind === 'harmless') continue
      // With empty input, rg searches the folder.
      given = { hasInput: redirection.word?.bare !== '/dev/null', names: null }
      if (redirection.word === null) continue
      this.#substitutions([redirection.word], scope)
      const field = this.#fields.single(redirection.word, scope)
      if (redirection.kind === 'output') refuse(reason('proof.writes', { path: field.text }), field.at)
      if (redirection.kind === 'input') this.#places.read(field, scope.folders)
    }
    return given
  }

  /** Checks the commands inside words. They cannot change the folder or the variables outside. */
  #substitutions(words: readonly Word[], scope: Scope): void {
    for (const { pieces } of words)
      for (const piece of pieces)
        if (piece.kind === 'output' || piece.kind === 'process') this.walk(piece.body, scope)
    this.#names = null
  }

  #assign({ name, value }: Assignment, scope: Scope): Scope {
    if (!isOrdinary(name)) refuse(reason('proof.variable', { variable: `$${name}` }), value.start)
    return assigned(scope, name, this.#fields.single(value, scope, { isAssigned: true }).text)
  }
}

/** `$(…)` as a whole word, which is split. */
function isOutput({ pieces: [piece, ...others] }: Word): boolean {
  return piece?.kind === 'output' && !piece.isQuoted && others.length === 0
}

/** Builtins that change how the rest of the text is read: no rule makes them part of a proof. */
const SHELL_WORDS = new Set(
  `. alias bg bind break builtin cd command continue coproc declare dirs disown enable eval exec exit export fc fg getopts hash let local
  logout mapfile popd pushd read readarray readonly return set shift shopt source suspend test times trap type typeset ulimit
  umask unalias unset wait`.split(/\s+/),
)
