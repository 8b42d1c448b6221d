/** The known state at one point of a command: the possible folders, and the variables with a known value. */

import { spend } from '../../lib/step-budget.js'
import { reason } from '../../protocol/reason/reason.js'
import { refuse } from './unproven.js'

/** The values that the expansion of a word uses. */
export interface Scope {
  folders: readonly string[]
  values: ReadonlyMap<string, string>
  /** The working directory, as long as nothing can have changed it. */
  startFolder: string | null
}

/** Null: the shell has exited. */
export interface Outcome {
  yes: Scope | null
  no: Scope | null
}

export const MAX_FOLDERS = 8

/** Names that no program reads from its environment, should they be exported. */
const NAME_PARTS = new Set(
  `file files dir dirs folder name names line lines base root src dst out word words pkg package mod module test tests target pattern
  pat count total num ext branch commit hash ref rev tag sha start end first last key val value item items id msg text str
  var result res ret log list query term found old main head left right one two three`.split(/\s+/),
)

export function isOrdinary(name: string): boolean {
  if (/^[A-Za-z][0-9]?$/.test(name)) return true
  return (
    name
      .split('_')
      .every((part, index) => NAME_PARTS.has(part.toLowerCase()) || (index > 0 && /^[0-9]+$/.test(part))) &&
    name !== 'LINES'
  )
}

export function assigned(scope: Scope, name: string, value: string): Scope {
  spend(scope.values.size)
  return { ...scope, values: new Map([...scope.values, [name, value]]) }
}

export function straight(folder: string, path: string): string {
  const kept: string[] = []
  for (const name of (path.startsWith('/') ? path : `${folder}/${path}`).split('/')) {
    if (name === '..') kept.pop()
    else if (name !== '' && name !== '.') kept.push(name)
  }
  return `/${kept.join('/')}`
}

export function either({ yes, no }: Outcome): Scope {
  return joined(yes, no) ?? refuse(reason('proof.after-exit'), null)
}

export function joined(one: Scope | null, other: Scope | null): Scope | null {
  return one === null || other === null ? (one ?? other) : both(one, other)
}

/** All possible folders, and the variables with the same value on both sides. */
export function both(one: Scope, other: Scope): Scope {
  if (one === other) return one
  const folders = [...new Set([...one.folders, ...other.folders])]
  if (folders.length > MAX_FOLDERS) refuse(reason('proof.too-many-folders'), null)
  const values = new Map([...one.values].filter(([name, value]) => other.values.get(name) === value))
  return {
    folders,
    values,
    startFolder: one.startFolder === other.startFolder ? one.startFolder : null,
  }
}

export function isSame(one: Scope, other: Scope): boolean {
  return (
    one.startFolder === other.startFolder &&
    one.folders.length === other.folders.length &&
    one.values.size === other.values.size
  )
}
