/** From the words of a command to the words that a program receives: braces, tilde, parameters, substitutions, splitting. */

import { parse, type Word, type WordPart } from 'unbash'
import { UNKNOWN } from '../path.js'
import { expandArithmetic } from './arithmetic.js'
import { expandBraces } from './brace.js'
import { escapePattern, type Field, literal, type Span, type Values } from './field.js'
import { expandParameter, expandSimple } from './parameter.js'
import type { Reader } from './reader.js'
import type { Stream } from './stream.js'

/** `split`: an argument. `whole`: an assignment, a here-string, an operand of `[[`; never split, never globbed. */
type Manner = 'split' | 'whole'

/** One way in which the word may come out. */
interface Draft {
  done: Field[]
  text: string
  pattern: string
  isGlob: boolean
  isStarted: boolean
  taint: number
  stream: Stream | null
  isTree: boolean
}

const MAX_DRAFTS = 12

export function expandWords(reader: Reader, words: readonly Word[]): Field[] {
  const fields: Field[] = []
  for (const word of words) {
    if (word.parts === undefined) fields.push(expandLiteral(reader, word))
    else fields.push(...expandWord(reader, word, 'split'))
  }
  return fields
}

/** The ways in which a word comes out, one after the other; in the manner `whole` each is one field. */
export function expandWord(reader: Reader, word: Word, manner: Manner): Field[] {
  return expandWays(reader, word, manner).flat()
}

/** The ways in which a word comes out, each by itself. */
export function expandWays(reader: Reader, word: Word, manner: Manner): Field[][] {
  reader.spend()
  const { parts } = word
  if (parts === undefined) return [[expandLiteral(reader, word)]]
  if (manner === 'split' && parts.some(({ type }) => type === 'BraceExpansion'))
    return [expandBraceWord(reader, word)]
  const span = reader.span(word)
  return expandParts(reader, parts, manner, span).map((draft) => finishAll([draft], manner, span))
}

/** The body of a here-document: nothing is split, quotes are text. */
export function expandText(reader: Reader, parts: readonly WordPart[], span: Span): Field {
  const [first] = finishAll(expandParts(reader, parts, 'whole', span), 'whole', span)
  return first ?? literal('', span)
}

function expandBraceWord(reader: Reader, word: Word): Field[] {
  const span = reader.span(word)
  const texts = expandBraces(word.text)
  if (texts === null) {
    reader.ask('too-large', 'Its braces stand for too many words.', span)
    return [literal(UNKNOWN, span)]
  }
  // Each of them is parsed and expanded again.
  reader.spend(texts.length * (1 + word.text.length / 8))
  return reader.at(span, () =>
    texts.flatMap((text) => {
      const command = parse(`: ${text}`).commands[0]?.command
      if (command?.type !== 'Command') return [literal(UNKNOWN, span)]
      return command.suffix.flatMap((item) => {
        if (item.type !== 'Word') return [literal(UNKNOWN, span)]
        const again = item.parts?.filter(({ type }) => type !== 'BraceExpansion')
        if (item.parts === undefined) return [expandLiteral(reader, item)]
        // Braces that are left are text: bash expands them only once.
        const parts = again?.length === item.parts.length ? item.parts : item.parts.map(asText)
        return finishAll(expandParts(reader, parts, 'split', span), 'split', span)
      })
    }),
  )
}

function asText(part: WordPart): WordPart {
  return part.type === 'BraceExpansion'
    ? { type: 'Literal', pos: part.pos, end: part.end, text: part.text, value: part.text }
    : part
}

function expandLiteral(reader: Reader, word: Word): Field {
  const span = reader.span(word)
  const { text, value } = word
  if (!text.includes('~')) return literal(value, span)
  return literal(expandTilde(reader, text, value, true), span)
}

/** `~`, `~user`, `~+` at the start of a word, or behind the `=` of what looks like an assignment. */
function expandTilde(reader: Reader, text: string, value: string, isWhole: boolean): string {
  const name = /^[A-Za-z_]\w*=(?=~)/.exec(text)?.[0] ?? ''
  const match = /^~([\w.+-]*)(?=(\/)|$)/.exec(text.slice(name.length))
  if (match === null || (match[2] === undefined && !isWhole)) return value
  const folder = homeOf(reader, match[1] ?? '')
  return folder === null ? value : name + folder + value.slice(name.length + match[0].length)
}

function homeOf(reader: Reader, user: string): string | null {
  const { state, world } = reader
  if (user === '') return state.variables.get('HOME')?.values[0]?.text ?? world.home
  if (user === '+') return state.folders[0] ?? UNKNOWN
  if (user === '-') return UNKNOWN
  if (/^[+-]?\d+$/.test(user)) return UNKNOWN
  if (user === world.user) return world.home
  return user === 'root' ? '/root' : `/home/${user}`
}

function expandParts(reader: Reader, parts: readonly WordPart[], manner: Manner, span: Span): Draft[] {
  let drafts: Draft[] = [newDraft()]
  parts.forEach((part, index) => {
    drafts = expandPart(reader, part, drafts, {
      manner,
      span,
      isFirst: index === 0,
      isLast: index === parts.length - 1,
    })
    if (drafts.length > MAX_DRAFTS) drafts = [{ ...(drafts[0] ?? newDraft()) }, unknownDraft(drafts)]
  })
  return drafts
}

function newDraft(): Draft {
  return {
    done: [],
    text: '',
    pattern: '',
    isGlob: false,
    isStarted: false,
    taint: 0,
    stream: null,
    isTree: false,
  }
}

function unknownDraft(drafts: readonly { taint: number }[]): Draft {
  const taint = drafts.reduce((sum, draft) => sum | draft.taint, 0)
  return { ...newDraft(), text: UNKNOWN, pattern: UNKNOWN, isStarted: true, taint }
}

interface Place {
  manner: Manner
  span: Span
  isFirst: boolean
  isLast: boolean
}

function expandPart(reader: Reader, part: WordPart, drafts: Draft[], place: Place): Draft[] {
  switch (part.type) {
    case 'Literal': {
      const text =
        place.isFirst && part.text.includes('~')
          ? expandTilde(reader, part.text, part.value, place.isLast)
          : part.value
      return appendText(drafts, text)
    }
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return appendText(drafts, part.value)
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.reduce<Draft[]>(
        (soFar, child) => expandQuoted(reader, child, soFar, place),
        appendText(drafts, ''),
      )
    case 'Glob':
      return drafts.map((draft) => ({
        ...draft,
        text: draft.text + part.text,
        pattern: draft.pattern + part.text,
        isGlob: true,
        isStarted: true,
      }))
    case 'ExtendedGlob':
      return drafts.map((draft) => ({
        ...draft,
        text: draft.text + part.text,
        pattern: draft.pattern + part.text,
        isGlob: true,
        isStarted: true,
      }))
    case 'BraceExpansion':
      return appendText(drafts, part.text)
    case 'ProcessSubstitution': {
      const stream = reader.withStdin(part.operator === '>' ? reader.stdin : null, () =>
        reader.substitute(part.script, reader.span(part)),
      )
      return drafts.map((draft) => ({
        ...draft,
        text: `${draft.text}/dev/fd/63`,
        pattern: `${draft.pattern}/dev/fd/63`,
        isStarted: true,
        stream: part.operator === '<' ? stream : { text: null, taint: 0, names: null },
      }))
    }
    default:
      return appendValues(reader, drafts, valuesOf(reader, part), { isQuoted: place.manner === 'whole' })
  }
}

function expandQuoted(reader: Reader, part: WordPart, drafts: Draft[], place: Place): Draft[] {
  if (part.type === 'Literal') return appendText(drafts, part.value)
  const values = valuesOf(reader, part)
  if (values.list !== null && place.manner === 'split') return appendList(drafts, values.list, place.span)
  return appendValues(reader, drafts, values, { isQuoted: true })
}

function valuesOf(reader: Reader, part: WordPart): Values {
  const span = reader.span(part)
  switch (part.type) {
    case 'SimpleExpansion':
      return expandSimple(
        reader,
        part.text.replaceAll(/[$\\\n]/g, (mark) => (mark === '$' ? '$' : '')).slice(1),
        span,
      )
    case 'ParameterExpansion':
      return expandParameter(reader, part)
    case 'CommandExpansion': {
      const { text, taint, names } = reader.substitute(part.script, span)
      if (names !== null) return { alternatives: [], list: names.map((field) => ({ ...field, taint })) }
      const value = text === null ? UNKNOWN : text.replace(/\n+$/, '').replaceAll('\0', '')
      return { alternatives: [literal(value, span, taint)], list: null }
    }
    case 'ArithmeticExpansion':
      return { alternatives: [expandArithmetic(reader, part.expression, span)], list: null }
    default:
      return { alternatives: [literal(UNKNOWN, span)], list: null }
  }
}

function appendText(drafts: Draft[], text: string): Draft[] {
  const pattern = escapePattern(text)
  return drafts.map((draft) => ({
    ...draft,
    text: draft.text + text,
    pattern: draft.pattern + pattern,
    isStarted: true,
  }))
}

function appendValues(
  reader: Reader,
  drafts: Draft[],
  { alternatives, list }: Values,
  { isQuoted }: { isQuoted: boolean },
): Draft[] {
  const values = list === null ? alternatives : [joined(list)]
  if (list !== null && !isQuoted) return appendList(drafts, list, [0, 0])
  return drafts.flatMap((draft) =>
    values.map((value) => (isQuoted ? appendQuoted(draft, value) : appendSplit(reader, draft, value))),
  )
}

function joined(list: readonly Field[]): Field {
  const [first] = list
  if (first === undefined) return literal('', [0, 0])
  return {
    ...first,
    text: list.map(({ text }) => text).join(' '),
    pattern: null,
    taint: list.reduce((sum, { taint }) => sum | taint, 0),
  }
}

/** Text that grows beyond this, as it does when a variable is put together from itself, is not known any more. */
const MAX_TEXT = 20_000

function appendQuoted(draft: Draft, value: Field): Draft {
  if (draft.text.length + value.text.length > MAX_TEXT) {
    return { ...unknownDraft([draft, value]), done: draft.done, stream: draft.stream ?? value.stream }
  }
  return {
    ...draft,
    text: draft.text + value.text,
    pattern: draft.pattern + (value.pattern ?? escapePattern(value.text)),
    isGlob: draft.isGlob || value.pattern !== null,
    isStarted: true,
    taint: draft.taint | value.taint,
    stream: draft.stream ?? value.stream,
    isTree: draft.isTree || value.isTree,
  }
}

/** Unquoted: split at the field separators, and what looks like a glob is one. */
function appendSplit(reader: Reader, draft: Draft, value: Field): Draft {
  if (value.pattern !== null || value.isTree) return appendQuoted(draft, value)
  const pieces = splitFields(value.text, reader.state.variables.get('IFS')?.values[0]?.text ?? ' \t\n')
  let current = draft
  pieces.forEach((piece, index) => {
    if (index > 0) current = { ...endField(current, value.span), taint: value.taint }
    if (piece === '') return
    const isGlob = /[*?[]/.test(piece)
    current = {
      ...current,
      text: current.text + piece,
      pattern: current.pattern + (isGlob ? piece : escapePattern(piece)),
      isGlob: current.isGlob || isGlob,
      isStarted: true,
    }
  })
  return { ...current, taint: current.taint | value.taint }
}

/** Empty first and last pieces mean that the text begins or ends with a separator. */
function splitFields(text: string, separators: string): string[] {
  if (separators === '' || text === '') return [text]
  if (separators.includes(UNKNOWN)) return [text]
  const white = separators.replaceAll(/[^ \t\n]/g, '')
  const other = separators.replaceAll(/[ \t\n]/g, '')
  const blank = white === '' ? '' : `[${white}]*`
  const source = [
    other && `${blank}[${other.replaceAll(/[\\\]^-]/g, '\\$&')}]${blank}`,
    white && `[${white}]+`,
  ]
  return text.split(new RegExp(source.filter((item) => item !== '').join('|')))
}

function appendList(drafts: Draft[], list: readonly Field[], span: Span): Draft[] {
  return drafts.map((draft) => {
    let current = draft
    list.forEach((value, index) => {
      if (index > 0) current = endField(current, span)
      current = appendQuoted(current, value)
    })
    return current
  })
}

function endField(draft: Draft, span: Span): Draft {
  const done = draft.isStarted ? [...draft.done, finish(draft, span)] : draft.done
  return { ...newDraft(), done }
}

function finishAll(drafts: readonly Draft[], manner: Manner, span: Span): Field[] {
  return drafts.flatMap((draft) =>
    draft.isStarted || manner === 'whole' ? [...draft.done, finish(draft, span)] : draft.done,
  )
}

function finish({ text, pattern, isGlob, taint, stream, isTree }: Draft, span: Span): Field {
  return { text, pattern: isGlob ? pattern : null, taint, stream, isTree, span }
}
