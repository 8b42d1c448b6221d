/** Checks of programs by a row of a table, and of those that need only a little more. */

import { reason } from '../../../protocol/reason/reason.js'
import { type Check, type Context, checkField, checkValues } from '../context.js'
import { type Arguments, optionTable, readArguments } from '../option.js'
import type { Field } from '../place.js'
import { refuse } from '../unproven.js'
import type { PlainRow } from './plain-table.js'

export function plainCheck(name: string, row: PlainRow): Check {
  const table = optionTable(row.options)
  return (args, context) => {
    const read = readArguments(name, args, table)
    checkValues(read, context)
    const { operands = [], rest, otherwise } = row
    const named = row.expandsFiles ? args.find(mayNameArguments) : undefined
    if (named !== undefined) refuse(reason('proof.argument-file', { path: named.text }), named.at)
    for (const [index, field] of read.operands.entries()) {
      const kind = operands[index] ?? rest
      // A walked name stands for several files: one of them could become the output file.
      if (kind === undefined || (field.isMany && rest === undefined))
        return refuse(reason('proof.argument', { program: name }), field.at)
      checkField(kind, field, context)
    }
    checkLate(row, read, context)
    if (read.operands.length === 0 && otherwise !== undefined)
      context.places.look({ text: otherwise, at: context.at }, context.folders)
    const isFilter =
      read.operands.length === 0 && [...read.flags].every((flag) => row.passesLines?.includes(flag))
    return row.passesLines !== undefined && isFilter ? context.input : null
  }
}

/**
 * The programs of BSD and macOS end options at the first operand: behind it, an option of `uniq` is its output file, and the
 * value of an option is one more file to read.
 */
function checkLate({ operands, rest }: PlainRow, { late, lateValues }: Arguments, context: Context): void {
  if (late !== null && operands !== undefined && rest === undefined)
    refuse(reason('proof.argument', { program: context.program }), late.at)
  if (rest !== undefined) for (const field of lateValues) checkField(rest, field, context)
}

/** Names from a walk or a glob may start with `@` as well. */
function mayNameArguments({ text, isWalked, isMany, isMatch }: Field): boolean {
  return text.startsWith('@') || Boolean(isWalked || isMany || (isMatch && !/^[\w./]/.test(text)))
}

/** It only prints its arguments, or ignores them. */
export const printsArguments: Check = () => null

const CONVERSION = /%(?:%|[-+ #0']*(?:\*|[1-9][0-9]*)?(?:\.(?:\*|[0-9]*))?[sdiuoxXfFeEgGcbq])/y

export const checkPrintf: Check = (args, { at }) => {
  const [format] = args[0]?.text === '--' ? args.slice(1) : args
  if (
    format === undefined ||
    format.isMatch ||
    format.text.includes('\0') ||
    (format.text.startsWith('-') && args[0]?.text !== '--')
  )
    return refuse(reason('proof.argument', { program: 'printf' }), at)
  for (let index = format.text.indexOf('%'); index >= 0; index = format.text.indexOf('%', index)) {
    CONVERSION.lastIndex = index
    const found = CONVERSION.exec(format.text)
    if (found === null) return refuse(reason('proof.argument', { program: 'printf' }), format.at)
    index += found[0].length
  }
  return null
}

const DATE = optionTable(
  '-u -R -I[word] -d:text -r:look --utc --universal --date=text --iso-8601[=word] --rfc-3339=word --rfc-email --reference=look',
)

export const checkDate: Check = (args, context) => {
  const read = readArguments('date', args, DATE)
  checkValues(read, context)
  for (const { text, at } of read.values.map(({ field }) => field))
    if (text.includes('TZ')) refuse(reason('proof.argument', { program: 'date' }), at)
  for (const { text, at, isMatch } of read.operands)
    if (isMatch || !text.startsWith('+') || text.includes('\0'))
      refuse(reason('proof.argument', { program: 'date' }), at)
}

export const checkSeq: Check = (args, context) => {
  const table = optionTable('-s:text -w -f:text --separator=text --equal-width --format=text')
  const numbers = args.filter(({ text }) => /^-[0-9.]+$/.test(text))
  const read = readArguments(
    'seq',
    args.filter((field) => !numbers.includes(field)),
    table,
  )
  checkValues(read, context)
  for (const field of read.operands) checkField('number', field, context)
}

const XXD = new Map([
  ...['-a', '-b', '-e', '-E', '-i', '-p', '-ps', '-plain', '-postscript', '-u', '-C', '-d'].map(
    (flag) => [flag, false] as const,
  ),
  ...['-c', '-cols', '-g', '-l', '-len', '-o', '-s', '-n'].map((flag) => [flag, true] as const),
])

/**
 * Its second operand is written, and everything behind the first one is an operand: `xxd a -b` writes a file named
 * `-b`.
 */
export const checkXxd: Check = (args, context) => {
  const waiting = args.toReversed()
  let count = 0
  for (let arg = waiting.pop(); arg !== undefined; arg = waiting.pop()) {
    if (count > 0) refuse(reason('proof.second-argument', { program: 'xxd' }), arg.at)
    const takes = XXD.get(arg.text)
    if (takes === true) {
      const value = waiting.pop()
      if (value === undefined) return refuse(reason('proof.no-argument', { program: 'xxd' }), arg.at)
      checkField('word', value, context)
    } else if (takes === undefined) {
      if (arg.text.startsWith('-') && !/^-[cgl][0-9]+$/.test(arg.text))
        refuse(reason('proof.option', { option: arg.text, program: 'xxd' }), arg.at)
      if (arg.text.startsWith('-')) continue
      count += 1
      if (arg.isMany) refuse(reason('proof.second-argument', { program: 'xxd' }), arg.at)
      context.places.read(arg, context.folders)
    }
  }
}

const DIFF = optionTable(
  `-u -U:number -c -C:number -y -q -s -r -N -a -b -B -w -i -E -Z -t -T -e -n -p -d -W:number -x:text -I:text -L:text --color[=word]
  --suppress-common-lines --brief --strip-trailing-cr --exclude=text --label=text --side-by-side --width=number
  --no-dereference --unified[=number] --context[=number] --recursive --new-file --ignore-case --ignore-all-space
  --ignore-space-change --ignore-blank-lines --ignore-trailing-space --ignore-tab-expansion --ignore-matching-lines=text
  --left-column --text --minimal --report-identical-files --normal --ed --rcs --show-c-function --expand-tabs`,
)

export const checkDiff: Check = (args, context) => {
  const read = readArguments('diff', args, DIFF)
  checkValues(read, context)
  for (const field of read.operands) context.places.tree(field, context.folders, { followsFolders: true })
  if (read.operands.length > 2) refuse(reason('proof.argument', { program: 'diff' }), context.at)
}

const TAR = optionTable(
  `-t -v -z -j -J -f:read -a --list --verbose --gzip --bzip2 --xz --zstd --file=read --auto-compress --wildcards --exclude=text
  --strip-components=number --full-time --numeric-owner --utc --show-transformed-names`,
)

/** Only a listing; a name with a colon is a file on another machine. */
export const checkTar: Check = ([first, ...others], context) => {
  const isOld = first !== undefined && /^[tvzjJ]+f?$/.test(first.text)
  // A first word without a dash is always a cluster of options, whose letters take the following words as values.
  if (first !== undefined && !isOld && !first.text.startsWith('-'))
    refuse(reason('proof.argument', { program: 'tar' }), first.at)
  const all = first === undefined ? [] : [isOld ? { ...first, text: `-${first.text}` } : first, ...others]
  const read = readArguments('tar', all, TAR)
  checkValues(read, context)
  if (!read.flags.has('-t') && !read.flags.has('--list'))
    refuse(reason('proof.only-with', { program: 'tar', option: '-t' }), context.at)
  for (const { name, field } of read.values)
    if (/file|-f/.test(name) && field.text.includes(':'))
      refuse(reason('proof.argument', { program: 'tar' }), field.at)
  for (const field of read.operands) checkField('text', field, context)
}

/** They try other extensions if the file is missing. */
export const checkZcat: Check = (args, context) => {
  const read = readArguments('zcat', args, optionTable('-f -q -v'))
  for (const field of read.operands) {
    checkField('read', field, context)
    context.places.exists(field, context.folders)
  }
}

export const checkZipinfo: Check = (args, context) => {
  const read = readArguments('zipinfo', args, optionTable('-1 -2 -s -m -l -v -h -t -T -z -C'))
  checkArchive(read.operands, context)
}

function checkArchive(operands: readonly Field[], context: Context): void {
  for (const [index, field] of operands.entries()) checkField(index === 0 ? 'read' : 'text', field, context)
  const [archive] = operands
  if (archive) context.places.exists(archive, context.folders)
}

export const checkUnzip: Check = (args, context) => {
  const read = readArguments('unzip', args, optionTable('-l -v -q -z -Z -1 -t'))
  if (!['-l', '-v', '-Z', '-z'].some((flag) => read.flags.has(flag)))
    refuse(reason('proof.only-with', { program: 'unzip', option: '-l' }), context.at)
  checkArchive(read.operands, context)
}

/** It writes files unless it lists or tests. Without its extension a name may be another file. */
export const checkGzip: Check = (args, context) => {
  const read = readArguments('gzip', args, optionTable('-l -t -v -q --list --test --verbose --quiet'))
  if (!['-l', '-t', '--list', '--test'].some((flag) => read.flags.has(flag)))
    refuse(reason('proof.only-with', { program: 'gzip', option: '-l' }), context.at)
  for (const field of read.operands) {
    checkField('read', field, context)
    context.places.exists(field, context.folders)
  }
}
