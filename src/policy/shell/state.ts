/** What a shell would know at one point of a command: where it is, its variables, its functions, what it has put where. */

import type { CompoundCommand, CompoundList, Redirected } from 'unbash'
import { UNKNOWN } from '../path.js'
import { type Field, literal, type Span } from './field.js'
import type { Stream } from './stream.js'

export interface Variable {
  /** What it may hold; several after branches and in loops. */
  values: readonly Field[]
  /** The elements, if it is a list. */
  list: readonly Field[] | null
}

/** What this command itself has put at a path. */
export type FileNote =
  | { kind: 'link'; target: string }
  | { kind: 'copy'; of: string }
  | { kind: 'content'; stream: Stream }

export type FunctionBody = CompoundCommand | Redirected | CompoundList

const MAX_ALTERNATIVES = 8
const NOWHERE: Span = [0, 0]

export class State {
  /** Where relative names are seen from; several after branches. */
  folders: readonly string[]
  readonly variables: Map<string, Variable>
  readonly functions: Map<string, FunctionBody>
  readonly files: Map<string, FileNote>
  readonly descriptors: Map<number, Stream>
  positional: readonly Field[] | null
  lastArgument: Field | null = null
  /** Names that no longer mean what they say: aliases and hashed paths. */
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
    return copy
  }

  set(name: string, values: readonly Field[]): void {
    this.variables.set(name, { values: bounded(values), list: null })
  }

  setList(name: string, list: readonly Field[]): void {
    this.variables.set(name, { values: list.slice(0, 1), list })
  }

  /** After branches: whatever either of them left behind. */
  merge(other: State): void {
    this.folders = [...new Set([...this.folders, ...other.folders])].slice(0, MAX_ALTERNATIVES)
    for (const [name, theirs] of other.variables) {
      const ours = this.variables.get(name)
      if (ours === theirs) continue
      const unset: readonly Field[] = [literal(UNKNOWN, NOWHERE)]
      this.variables.set(name, {
        values: bounded([...(ours?.values ?? unset), ...theirs.values]),
        list:
          ours?.list && theirs.list ? [...ours.list, ...theirs.list] : (theirs.list ?? ours?.list ?? null),
      })
    }
    for (const [name, body] of other.functions) this.functions.set(name, body)
    for (const [path, note] of other.files) this.files.set(path, note)
    for (const [number, stream] of other.descriptors) this.descriptors.set(number, stream)
    for (const name of other.renamed) this.renamed.add(name)
  }
}

function bounded(values: readonly Field[]): readonly Field[] {
  const different = values.filter(
    (value, index) =>
      values.findIndex((other) => other.text === value.text && other.pattern === value.pattern) === index,
  )
  if (different.length <= MAX_ALTERNATIVES) return different
  return [...different.slice(0, MAX_ALTERNATIVES - 1), literal(UNKNOWN, NOWHERE)]
}
