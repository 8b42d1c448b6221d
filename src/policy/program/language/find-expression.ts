/** The expression of `find`: the files that reach each of its actions. */

import type { Field } from '../../shell/field.js'

/** `all`: (nearly) every file. `some`: those that pass a test unrelated to names. */
export type Found = { kind: 'all' } | { kind: 'some' } | { kind: 'names'; names: readonly Field[] }

export interface FindAction {
  kind: 'delete' | 'write' | 'run' | 'read' | 'look' | 'unknown'
  field: Field
  words: readonly Field[]
  found: Found
}

export interface FindExpression {
  actions: readonly FindAction[]
  /** The files that it prints. */
  listed: Found
}

const ALL: Found = { kind: 'all' }
const SOME: Found = { kind: 'some' }

const PRINTS = /^-(?:print|print0|ls|printf)$/
/** Tests and options without a value that exclude almost nothing. */
const PLAIN =
  /^-(?:depth|d|xdev|mount|daystart|follow|noleaf|warn|nowarn|ignore_readdir_race|noignore_readdir_race|true|prune|quit)$/
const NARROWS_ALONE = /^-(?:readable|writable|executable|nouser|nogroup|empty|false)$/
const WITH_VALUE = /^-(?:maxdepth|mindepth|type|xtype|regextype|fstype)$/
const NARROWS =
  /^-(?:regex|iregex|lname|ilname|size|mtime|atime|ctime|mmin|amin|cmin|newer|anewer|cnewer|newer[aBcm][aBcmt]|perm|user|group|uid|gid|inum|links|samefile|used|context)$/
const NAMES = /^-i?(?:name|path|wholename)$/
const WRITES = /^-(?:fprint0?|fls|fprintf)$/
const RUNS = /^-(?:exec|execdir|ok|okdir)$/

interface Cursor {
  words: readonly Field[]
  at: number
  actions: FindAction[]
  printed: Found[]
}

/** Everything behind the starting points. Words that are not part of an expression become actions of kind `unknown`. */
export function readFindExpression(words: readonly Field[]): FindExpression {
  const cursor: Cursor = { words, at: 0, actions: [], printed: [] }
  let found: Found = words.length === 0 ? ALL : readAlternatives(cursor, ALL)
  // An extra closing parenthesis is an error in find.
  while (cursor.at < words.length) {
    note(cursor, 'unknown', words[cursor.at++] as Field, [], ALL)
    found = either(found, readAlternatives(cursor, ALL))
  }
  const [first, ...others] = cursor.printed
  return {
    actions: cursor.actions,
    listed: first === undefined ? found : others.reduce(either, first),
  }
}

/** `a -o b`, `a , b`. */
function readAlternatives(cursor: Cursor, context: Found): Found {
  let found = readSequence(cursor, context)
  while (/^(?:-o|-or|,)$/.test(textAt(cursor))) {
    cursor.at++
    found = either(found, readSequence(cursor, context))
  }
  return found
}

/** `a -a b`: later tests apply only to files that passed the earlier ones. */
function readSequence(cursor: Cursor, context: Found): Found {
  let found = context
  while (cursor.at < cursor.words.length && !/^(?:-o|-or|,|\))$/.test(textAt(cursor)))
    found = both(found, readTerm(cursor, found))
  return found
}

function readTerm(cursor: Cursor, context: Found): Found {
  const text = textAt(cursor)
  const field = cursor.words[cursor.at++] as Field
  if (/^(?:-a|-and)$/.test(text)) return ALL
  if (/^(?:!|-not)$/.test(text)) {
    if (cursor.at < cursor.words.length) readTerm(cursor, context)
    return SOME
  }
  if (text === '(') {
    const found = readAlternatives(cursor, context)
    if (textAt(cursor) === ')') cursor.at++
    else note(cursor, 'unknown', field, [], ALL)
    return found
  }
  return readPrimary(cursor, field, context)
}

function readPrimary(cursor: Cursor, field: Field, context: Found): Found {
  const { text } = field
  if (PRINTS.test(text)) {
    cursor.printed.push(context)
    if (text === '-printf') cursor.at++
    return ALL
  }
  if (PLAIN.test(text)) return ALL
  if (NARROWS_ALONE.test(text)) return SOME
  if (text === '-delete') return note(cursor, 'delete', field, [], context)
  if (RUNS.test(text)) return note(cursor, 'run', field, readCommand(cursor), context)
  const value = cursor.words[cursor.at++]
  if (WITH_VALUE.test(text)) return ALL
  if (NAMES.test(text)) return value === undefined ? SOME : named(text, value)
  if (NARROWS.test(text)) {
    if (/^-(?:newer|anewer|cnewer|samefile)/.test(text) && value !== undefined)
      note(cursor, 'look', field, [value], context)
    return SOME
  }
  if (WRITES.test(text)) {
    if (text === '-fprintf') cursor.at++
    return note(cursor, 'write', field, value === undefined ? [] : [value], context)
  }
  if (text === '-files0-from') return note(cursor, 'read', field, value === undefined ? [] : [value], context)
  cursor.at--
  return note(cursor, 'unknown', field, [], context)
}

/** The last name of a path is the most specific; a bare star matches anything. */
function named(test: string, value: Field): Found {
  const last = value.text.slice(value.text.lastIndexOf('/') + 1)
  if (!/^\*+$/.test(last)) return { kind: 'names', names: [{ ...value, text: last, pattern: null }] }
  if (/^-i?name$/.test(test) || /^(?:\.\/)?\*+$/.test(value.text)) return ALL
  return /^[./]/.test(value.text) ? { kind: 'names', names: [{ ...value, pattern: null }] } : SOME
}

/** The words between `-exec` and `;` or `{} +`. */
function readCommand(cursor: Cursor): Field[] {
  const start = cursor.at
  while (cursor.at < cursor.words.length) {
    const isEnd =
      textAt(cursor) === ';' || (textAt(cursor) === '+' && cursor.words[cursor.at - 1]?.text === '{}')
    if (isEnd) break
    cursor.at++
  }
  return cursor.words.slice(start, cursor.at++)
}

function note(
  cursor: Cursor,
  kind: FindAction['kind'],
  field: Field,
  words: readonly Field[],
  found: Found,
): Found {
  cursor.actions.push({ kind, field, words, found })
  return ALL
}

function textAt({ words, at }: Cursor): string {
  return words[at]?.text ?? ''
}

function both(first: Found, second: Found): Found {
  if (first.kind === 'names') return first
  if (second.kind === 'names') return second
  return first.kind === 'some' ? first : second
}

function either(first: Found, second: Found): Found {
  if (first.kind === 'all' || second.kind === 'all') return ALL
  if (first.kind === 'names' && second.kind === 'names')
    return { kind: 'names', names: [...first.names, ...second.names] }
  return SOME
}
