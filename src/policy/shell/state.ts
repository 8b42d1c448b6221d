/** The state of a shell at one point of a command: folders, variables, functions, and the files it has written. */

import type { CompoundCommand, CompoundList, Redirected } from 'unbash'
import { spend } from '../../lib/step-budget.js'
import { UNKNOWN } from '../file/path.js'
import { type Field, literal, type Span, type Stream, Taint, taintOf } from './field.js'

export interface Variable {
  /** The possible values; several after branches and in loops. */
  values: readonly Field[]
  /** The elements, if it is a list. */
  list: readonly Field[] | null
}

/** An object that this command has created at a path. */
export type FileNote =
  | { kind: 'link'; target: string }
  | { kind: 'copy'; of: string }
  | { kind: 'content'; stream: Stream }

export type FunctionBody = CompoundCommand | Redirected | CompoundList

const MAX_ALTERNATIVES = 8
const NOWHERE: Span = [0, 0]

export class State {
  /** The possible working directories; several after branches. */
  folders: readonly string[]
  readonly variables: Map<string, Variable>
  readonly functions: Map<string, FunctionBody>
  readonly files: Map<string, FileNote>
  readonly descriptors: Map<number, Stream>
  positional: readonly Field[] | null
  lastArgument: Field | null = null
  /** The shell has exited: later commands do not run. */
  hasEnded = false
  /** Names with a changed meaning: aliases and hashed paths. */
  readonly renamed: Set<string>

  constructor(from: {
    folders: readonly string[]
    variables?: ReadonlyMap<string, Variable>
    functions?: ReadonlyMap<string, FunctionBody>
    files?: ReadonlyMap<string, FileNote>
    descriptors?: ReadonlyMap<number, Stream>
    positional?: readonly Field[] | null
    renamed?: ReadonlySet<string>
  }) {
    spend(20 + (from.variables?.size ?? 0) + (from.files?.size ?? 0) + (from.functions?.size ?? 0))
    this.folders = from.folders
    this.variables = new Map(from.variables)
    this.functions = new Map(from.functions)
    this.files = new Map(from.files)
    this.descriptors = new Map(from.descriptors)
    this.positional = from.positional ?? null
    this.renamed = new Set(from.renamed)
  }

  fork(): State {
    const copy = new State(this)
    copy.lastArgument = this.lastArgument
    copy.hasEnded = this.hasEnded
    return copy
  }

  set(name: string, values: readonly Field[]): void {
    this.variables.set(name, { values: bounded(values), list: null })
  }

  setList(name: string, list: readonly Field[]): void {
    this.variables.set(name, { values: list.slice(0, 1), list })
  }

  /** Adds possible working directories. */
  addFolders(folders: readonly string[]): void {
    if (folders === this.folders || folders.every((folder) => this.folders.includes(folder))) return
    const all = [...new Set([...this.folders, ...folders])]
    this.folders = all.length <= MAX_ALTERNATIVES ? all : [...all.slice(0, MAX_ALTERNATIVES - 1), UNKNOWN]
    this.set(
      'PWD',
      this.folders.map((folder) => literal(folder, NOWHERE)),
    )
  }

  /** Whether a variable may have another value. */
  differsFrom(other: State): boolean {
    if (this.functions.size !== other.functions.size) return true
    for (const [name, { values, list }] of this.variables) {
      const before = other.variables.get(name)
      if (before === undefined) return true
      if (values === before.values && list === before.list) continue
      if (list !== before.list || !values.every((value) => before.values.some(isSame(value)))) return true
    }
    return false
  }

  /** Joins the states of two branches. */
  merge(other: State): void {
    if (other.hasEnded) return
    if (this.hasEnded) {
      this.folders = other.folders
      this.variables.clear()
      for (const [name, variable] of other.variables) this.variables.set(name, variable)
      this.hasEnded = false
    }
    this.addFolders(other.folders)
    spend(20 + this.variables.size + other.variables.size + other.files.size + other.functions.size)
    for (const name of new Set([...this.variables.keys(), ...other.variables.keys()])) {
      const ours = this.variables.get(name)
      const theirs = other.variables.get(name)
      if (ours !== theirs) this.variables.set(name, eitherOf(ours ?? UNSET, theirs ?? UNSET))
    }
    for (const [name, body] of other.functions) this.functions.set(name, body)
    for (const [path, note] of other.files) this.files.set(path, note)
    for (const [number, stream] of other.descriptors) this.descriptors.set(number, stream)
    for (const name of other.renamed) this.renamed.add(name)
  }
}

/** Set outside the command, or not at all. */
const UNSET: Variable = { values: [literal(UNKNOWN, NOWHERE, Taint.variable)], list: null }

function eitherOf(one: Variable, other: Variable): Variable {
  const values = bounded([...one.values, ...other.values])
  if (one.list === other.list) return { values, list: one.list }
  // The order of the elements is no longer known.
  return { values, list: bounded([...(one.list ?? []), ...(other.list ?? []), literal(UNKNOWN, NOWHERE)]) }
}

function isSame(one: Field): (other: Field) => boolean {
  return (other) =>
    one.text === other.text &&
    one.pattern === other.pattern &&
    one.taint === other.taint &&
    one.shape === other.shape &&
    one.stream === other.stream
}

function bounded(values: readonly Field[]): readonly Field[] {
  const known = new Map<string, Field>()
  for (const value of values) {
    spend(1 + value.text.length / 16)
    const key = `${value.pattern === null}${value.taint}${value.shape}:${value.pattern ?? value.text}`
    if (!known.has(key)) known.set(key, value)
  }
  const different = [...known.values()]
  if (different.length <= MAX_ALTERNATIVES) return different
  const rest = different.slice(MAX_ALTERNATIVES - 1)
  return [...different.slice(0, MAX_ALTERNATIVES - 1), literal(UNKNOWN, NOWHERE, taintOf(rest))]
}
