/** `find`: where it looks, which names it keeps, and what it does with them. */

import { UNKNOWN } from '../path.js'
import type { Field } from '../shell/field.js'
import { literal } from '../shell/field.js'
import { ANYTHING, type Stream } from '../shell/stream.js'
import type { Call, Handler } from './handler.js'

/** Tests and what they take; those that leave nearly everything do not narrow. */
const PLAIN_TESTS =
  /^-(?:depth|d|xdev|mount|daystart|follow|noleaf|regextype|warn|nowarn|ignore_readdir_race|noignore_readdir_race|true|print|print0|ls|prune|quit|not|a|and|o|or|readable|writable|executable|nouser|nogroup|empty|false)$/
const WITH_VALUE =
  /^-(?:maxdepth|mindepth|type|xtype|name|iname|path|ipath|wholename|iwholename|regex|iregex|lname|ilname|size|mtime|atime|ctime|mmin|amin|cmin|newer|anewer|cnewer|newer[aBcm][aBcmt]|perm|user|group|uid|gid|inum|links|samefile|fstype|used|printf|regextype|context)$/
const NARROWS =
  /^-(?:name|iname|path|ipath|wholename|iwholename|regex|iregex|lname|ilname|size|mtime|atime|ctime|mmin|amin|cmin|newer\w*|anewer|cnewer|perm|user|group|uid|gid|inum|links|samefile|used|empty|nouser|nogroup|false|readable|writable|executable|context)$/
const WRITES = /^-(?:fprint0?|fls|fprintf)$/
const RUNS = /^-(?:exec|execdir|ok|okdir)$/

export const find: Handler = (call) => {
  const { reader, args } = call
  const { starts, rest } = splitArguments(call)
  for (const start of starts) reader.access('look', start)
  const matched = whatIsFound(starts, rest)
  for (let at = 0; at < rest.length; at++) {
    const field = rest[at] as Field
    const { text } = field
    const value = rest[at + 1]
    if (text === '-delete') {
      reader.ask('delete', 'find deletes what it finds.', field.span)
      for (const found of matched) reader.access('delete', found, { isRecursive: found.isTree })
    } else if (WRITES.test(text)) {
      if (value !== undefined) reader.access('write', value)
      at += text === '-fprintf' ? 2 : 1
    } else if (RUNS.test(text)) {
      at = runFor(call, rest, at, text.startsWith('-ok') ? [literal(UNKNOWN, field.span)] : matched)
    } else if (text === '-files0-from') {
      if (value !== undefined) reader.access('read', value)
      at++
    } else if (WITH_VALUE.test(text)) {
      if (/^-(?:newer|anewer|cnewer|samefile)/.test(text) && value !== undefined) reader.access('look', value)
      at++
    } else if (!PLAIN_TESTS.test(text) && !/^[()!,]$/.test(text)) {
      reader.ask('option', `find: ${text.replaceAll('\0', '…')} is not known to be harmless.`, field.span)
    }
  }
  if (args.some(({ text }) => text === '--version')) return ANYTHING
  return { text: null, taint: 0, names: matched }
}

function splitArguments({ reader, args, span }: Call): { starts: readonly Field[]; rest: readonly Field[] } {
  let at = 0
  while (/^-(?:[HLP]|O\d|D)$|^--$/.test(args[at]?.text ?? '')) at += args[at]?.text === '-D' ? 2 : 1
  const from = at
  while (at < args.length && !/^[-(!,)]/.test(args[at]?.text ?? '')) at++
  const starts = args.slice(from, at)
  for (const field of starts) {
    if (field.text.startsWith(UNKNOWN)) {
      reader.ask(
        'unknown-value',
        'find: a word is not known before it runs and may be an action.',
        field.span,
      )
    }
  }
  return { starts: starts.length > 0 ? starts : [literal('.', span)], rest: args.slice(at) }
}

/** Everything below the starting points; or names, if they are given; or something that is not known. */
function whatIsFound(starts: readonly Field[], rest: readonly Field[]): Field[] {
  const narrowing = rest.filter(({ text }, index) => isNarrowing(text, rest[index + 1]?.text))
  if (narrowing.length === 0) return starts.map((start) => ({ ...start, isTree: true }))
  const names = rest.flatMap(({ text }, index) => {
    const isNegated = /^(?:!|-not)$/.test(rest[index - 1]?.text ?? '')
    const value = rest[index + 1]
    return /^-i?(?:name|path|wholename)$/.test(text) && value !== undefined && !isNegated ? [value] : []
  })
  if (names.length === 0) return starts.map((start) => ({ ...start, text: `${start.text}/${UNKNOWN}` }))
  return starts.flatMap((start) =>
    names.map((name) => {
      const last = name.text.slice(name.text.lastIndexOf('/') + 1)
      const text = `${start.text}/${last}`
      return { ...start, text, pattern: /[*?[]/.test(last) ? text : null }
    }),
  )
}

function isNarrowing(text: string, value: string | undefined): boolean {
  if (!NARROWS.test(text)) return false
  return !(/^-i?(?:name|path|wholename)$/.test(text) && /^(?:\.\/)?\*+$/.test(value ?? ''))
}

/** Runs the words between `-exec` and `;` or `+`, with `{}` for what is found. Returns where they end. */
function runFor(
  { reader, span }: Call,
  rest: readonly Field[],
  start: number,
  matched: readonly Field[],
): number {
  let end = start + 1
  while (
    end < rest.length &&
    rest[end]?.text !== ';' &&
    !(rest[end]?.text === '+' && rest[end - 1]?.text === '{}')
  )
    end++
  const words = rest.slice(start + 1, end).flatMap((word) => {
    if (!word.text.includes('{}')) return [word]
    return matched.map((field) =>
      word.text === '{}'
        ? { ...field, span: word.span }
        : { ...word, text: word.text.replaceAll('{}', () => field.text) },
    )
  })
  reader.ask('code', 'find runs a program for what it finds.', rest[start]?.span ?? span)
  const before = reader.stdin
  const run = (): Stream => reader.inSubshell(() => reader.runWords(words, span))
  reader.withStdin(before, run)
  return end
}
