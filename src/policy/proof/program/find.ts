/** find: tests, the actions that only print, and `-exec` of a listed reader over a tree that was walked. */

import { reason } from '../../../protocol/reason/reason.js'
import { type Check, type Context, checkField, type Names } from '../context.js'
import type { Kind } from '../option.js'
import type { Field } from '../place.js'
import { refuse } from '../unproven.js'
import { listed, readsOnly } from './search.js'

const TESTS: Readonly<Record<string, Kind | null>> = {
  ...kinds('text', 'name iname path ipath wholename iwholename regex iregex lname ilname'),
  ...kinds('word', 'regextype type xtype size perm user group fstype used'),
  ...kinds('number', 'mtime mmin ctime cmin atime amin maxdepth mindepth uid gid links inum'),
  ...kinds('look', 'newer anewer cnewer newermm neweram newercm'),
  ...kinds('text', 'newermt newerat newerct printf'),
  ...kinds(
    null,
    'empty executable readable writable print print0 ls prune true false xdev mount depth daystart not o or a and quit nouser nogroup noleaf',
  ),
}

function kinds(kind: Kind | null, names: string): Record<string, Kind | null> {
  return Object.fromEntries(names.split(' ').map((name) => [`-${name}`, kind]))
}

/** Whether the expression keeps names unchanged and joins its tests by "and". */
interface Reading {
  names: string[]
  // Folders whose files are excluded at any depth: `-not -path '*/NAME/*'`.
  leftOut: string[]
  isPlain: boolean
  isPrinted: boolean
  commands: Field[][]
}

export const checkFind: Check = (args, context) => {
  const start = args.findIndex(({ text }) => text.startsWith('-') || text === '!' || text === '(')
  const [roots, expression] = start < 0 ? [args, []] : [args.slice(0, start), args.slice(start)]
  const trees = roots.length > 0 ? roots : [{ text: '.', at: context.at }]
  for (const tree of trees) checkField('look', tree, context)
  const reading = readExpression(expression, context)
  const leftOut = new Set(reading.isPlain ? reading.leftOut : [])
  const filter = {
    ...readsOnly(reading.isPlain ? reading.names.slice(0, 1) : [], context),
    skipsFolder: (name: string) => leftOut.has(name),
  }
  for (const words of reading.commands) {
    for (const tree of trees) context.places.tree(tree, context.folders, filter)
    context.run(words)
  }
  const isList = reading.isPrinted && reading.commands.length === 0
  return isList ? listed(trees, context, filter) : null
}

function readExpression(expression: readonly Field[], context: Context): Reading {
  const reading: Reading = {
    names: [],
    leftOut: [],
    isPlain: true,
    isPrinted: true,
    commands: [],
  }
  const waiting = expression.toReversed()
  let depth = 0
  let isNegated = false
  let hasActed = false
  for (let arg = waiting.pop(); arg !== undefined; arg = waiting.pop()) {
    const { text, at } = arg
    if (text === '!' || text === '-not') {
      isNegated = !isNegated
      continue
    }
    if (text === '(' || text === ')' || text === ',') {
      depth += text === '(' ? 1 : text === ')' ? -1 : 0
      if (depth < 0) refuse(reason('proof.argument', { program: 'find' }), at)
      reading.isPlain = false
      continue
    }
    if (text === '-exec') {
      hasActed = true
      reading.commands.push(readCommand(waiting, at))
      continue
    }
    const kind = Object.hasOwn(TESTS, text)
      ? TESTS[text]
      : refuse(reason('proof.option', { option: text, program: 'find' }), at)
    if (['-o', '-or', '-prune'].includes(text)) reading.isPlain = false
    hasActed ||= text === '-print' || text === '-print0'
    if (['-printf', '-ls', '-quit'].includes(text)) reading.isPrinted = false
    const isCounted = text === '-name' && !isNegated && !hasActed
    const leavesOut = text === '-path' && isNegated && !hasActed
    isNegated = false
    if (kind === null || kind === undefined) continue
    const value = waiting.pop()
    if (value === undefined)
      return refuse(reason('proof.option-value', { option: text, program: 'find' }), at)
    checkField(kind, value, context)
    if (isCounted) reading.names.push(value.text)
    const folder = leavesOut ? FOLDER_ANYWHERE.exec(value.text)?.[1] : undefined
    if (folder !== undefined) reading.leftOut.push(folder)
  }
  if (depth !== 0) refuse(reason('proof.argument', { program: 'find' }), context.at)
  return reading
}

const FOLDER_ANYWHERE = /^\*\/([\w.-]+)\/\*$/

/** `{}` stands for files of the tree that was walked; it must be a whole word. */
function readCommand(waiting: Field[], at: number): Field[] {
  const words: Field[] = []
  for (;;) {
    const word = waiting.pop()
    if (word === undefined) return refuse(reason('proof.no-argument', { program: 'find' }), at)
    const isEnd = word.text === ';' || (word.text === '+' && words.at(-1)?.isWalked)
    if (isEnd) return words
    const isFiles = word.text === '{}'
    if (!isFiles && word.text.includes('{}')) refuse(reason('proof.argument', { program: 'find' }), word.at)
    words.push(isFiles ? { ...word, isWalked: true, isMany: true } : word)
  }
}

/** xargs with a listed reader, if its input is names of files that were walked. */
export const checkXargs: Check = (args, context): Names | null => {
  let mark: string | null = null
  let isCounted = false
  let index = 0
  for (; index < args.length; index++) {
    const { text, at } = args[index] ?? { text: '', at: 0 }
    if (!text.startsWith('-')) break
    isCounted ||= /^-[0rt]*[nL]/.test(text)
    if (/^-(?:[0rt]+|[0rt]*[nPL][0-9]+)$/.test(text) || text === '--null' || text === '--no-run-if-empty')
      continue
    if (/^-[nPL]$/.test(text) && /^[0-9]+$/.test(args[index + 1]?.text ?? '')) index++
    else if (text === '-I' && args[index + 1] !== undefined) mark = args[++index]?.text ?? null
    else if (/^-I[{}%@]+$/.test(text)) mark = text.slice(2)
    else refuse(reason('proof.option', { option: text, program: 'xargs' }), at)
  }
  // The last of these options wins: then the placeholder is not replaced, and names are appended, as in `uniq {} A B`.
  if (mark !== null && isCounted)
    refuse(reason('proof.option', { option: '-I', program: 'xargs' }), context.at)
  const { input } = context
  if (input === null) return refuse(reason('proof.unknown-argument', { program: 'xargs' }), context.at)
  input.walk()
  const words = args.slice(index)
  const walked = { text: 'FILE', at: context.at, isWalked: true, isMany: true }
  if (words.length === 0) return null
  if (mark === null) {
    context.run(words)
    return context.run([...words, walked])
  }
  const isMark = ({ text }: Field) => text === mark
  const wrong = words.find((word) => !isMark(word) && word.text.includes(mark ?? ''))
  if (wrong !== undefined) refuse(reason('proof.argument', { program: 'xargs' }), wrong.at)
  return context.run(words.map((word) => (isMark(word) ? { ...walked, at: word.at } : word)))
}
