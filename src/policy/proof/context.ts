/** The context in which a program's arguments are checked. */

import { reason } from '../../protocol/reason/reason.js'
import { isKnown } from '../file/path.js'
import type { Arguments, Kind } from './option.js'
import type { Field, Places } from './place.js'
import { refuse } from './unproven.js'

export interface Context {
  places: Places
  program: string
  at: number
  /** The folders in which it may run. */
  folders: readonly string[]
  /** Whether its input is piped or redirected. */
  hasInput: boolean
  /** Its input is a list of file names from a walked tree, one per line or separated by NUL. */
  input: Names | null
  /** Checks another command that it would run. */
  run(words: readonly Field[], input?: Names | null): Names | null
}

/** A list of names that a program prints. Lazy: the tree is walked only if another program reads the names. */
export interface Names {
  /** Refuses unless each file may be read, and xargs would take each name as one operand. */
  walk(): void
}

export type Check = (args: readonly Field[], context: Context) => Names | null | void

const NUMBER = /^[+-]?[0-9]+(?:\.[0-9]+)?[A-Za-z]{0,3}%?$/
const WORD = /^[A-Za-z0-9_,.:+@%=/-]*$/

export function checkField(kind: Kind, field: Field, context: Context): void {
  const { text, at } = field
  if (kind === 'said') return
  if (!isKnown(text)) refuse(reason('proof.unknown-argument', { program: context.program }), at)
  if (field.isWalked && !FOR_FILES.has(kind)) refuse(reason('proof.syntax'), at)
  const isPlainName = kind === 'text' && /^[\w.][\w.-]*$/.test(text)
  if (field.isMatch && !FOR_MATCHES.has(kind) && !(context.program === 'find' && isPlainName))
    refuse(reason('proof.syntax'), at)
  switch (kind) {
    case 'text':
      return
    case 'number':
      if (!NUMBER.test(text)) refuse(reason('proof.number', { text }), at)
      return
    case 'word':
      if (!WORD.test(text)) refuse(reason('proof.syntax'), at)
      return
    case 'look':
      return context.places.look(field, context.folders)
    case 'read':
      return context.places.read(field, context.folders)
    case 'tree':
      return context.places.tree(field, context.folders)
    case 'format':
      return checkFormat(field)
    case 'script':
    case 'revision':
    case 'pathspec':
    case 'lines':
      refuse(reason('proof.argument', { program: context.program }), at)
  }
}

const FOR_FILES: ReadonlySet<Kind> = new Set(['text', 'look', 'read', 'tree'])
const FOR_MATCHES: ReadonlySet<Kind> = new Set(['look', 'read', 'tree'])

/** A program text or a similar argument: every character must be known. */
export function literalOf(field: Field, program: string): string {
  if (!isKnown(field.text) || field.isWalked || field.isMatch)
    refuse(reason('proof.unknown-argument', { program }), field.at)
  return field.text
}

/**
 * Another program checks signatures, `%(raw)` prints the object of a reference, and the name of a remote may be a URL
 * with a password.
 */
function checkFormat({ text, at }: Field): void {
  if (/%G|signature|raw|remote(?:name|ref)/.test(text)) refuse(reason('proof.syntax'), at)
}

export function checkValues({ values }: Arguments, context: Context): void {
  for (const { kind, field } of values) if (kind !== 'script') checkField(kind, field, context)
}
