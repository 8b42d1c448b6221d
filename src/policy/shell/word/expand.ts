/**
 * Expands the words of a command into the words that a program receives: braces, tilde, parameters, substitutions,
 * splitting.
 */

import { parse, type Word, type WordPart } from 'unbash'
import { expandBraces } from '../../../lib/glob/brace.js'
import { spend } from '../../../lib/step-budget.js'
import { reason } from '../../../protocol/reason/reason.js'
import { UNKNOWN } from '../../file/path.js'
import { type Field, literal, type Span, Taint, type Values } from '../field.js'
import type { ShellContext } from '../shell-context.js'
import { expandArithmetic } from './arithmetic.js'
import {
  appendList,
  appendQuoted,
  appendText,
  appendValues,
  type Draft,
  finishAll,
  type Manner,
  newDraft,
  unknownDraft,
} from './draft.js'
import { walkNested } from './nested.js'
import { expandParameter, expandSimple } from './parameter.js'
import { judgeRaw } from './raw.js'

const MAX_DRAFTS = 12

export function expandWords(context: ShellContext, words: readonly Word[]): Field[] {
  const fields: Field[] = []
  for (const word of words) {
    if (word.parts === undefined) fields.push(expandLiteral(context, word))
    else fields.push(...expandWord(context, word, 'split'))
  }
  return fields
}

/** All possible results of a word, concatenated; in the manner `whole` each is one field. */
export function expandWord(context: ShellContext, word: Word, manner: Manner): Field[] {
  return expandWays(context, word, manner).flat()
}

/** The possible results of a word, one list for each. */
export function expandWays(context: ShellContext, word: Word, manner: Manner): Field[][] {
  context.spend()
  const { parts } = word
  if (parts === undefined) return [[expandLiteral(context, word)]]
  if (manner === 'split' && parts.some(({ type }) => type === 'BraceExpansion'))
    return [expandBraceWord(context, word)]
  const span = context.span(word)
  const drafts = expandParts(context, parts, manner, span)
  return drafts.map((draft) => finishAll([draft], manner, span))
}

/** The body of a here-document: no splitting, and quotes are text. */
export function expandText(context: ShellContext, parts: readonly WordPart[], span: Span): Field {
  const [first] = finishAll(expandParts(context, parts, 'whole', span), 'whole', span)
  return first ?? literal('', span)
}

function expandBraceWord(context: ShellContext, word: Word): Field[] {
  const span = context.span(word)
  // The commands inside run, whichever of the resulting words contains them.
  walkNested(context, word)
  const texts = expandBraces(word.text)
  if (texts === null) {
    context.ask('too-large', reason('shell.braces'), span)
    return [literal(UNKNOWN, span)]
  }
  // Each of the resulting words is parsed and expanded again.
  context.spend(texts.length * (1 + word.text.length / 8))
  return context.at(span, () => texts.flatMap((text) => expandAgain(context, text, span)))
}

function expandAgain(context: ShellContext, text: string, span: Span): Field[] {
  const { commands, errors } = parse(`: ${text}`)
  const command = commands[0]?.command
  const words = command?.type === 'Command' ? command.suffix : []
  const isWord = commands.length === 1 && words.every(({ type }) => type === 'Word')
  if (command?.type !== 'Command' || !isWord || (errors?.length ?? 0) > 0) {
    judgeRaw(context, text, span)
    return [literal(UNKNOWN, span)]
  }
  return words.flatMap((item) => {
    if (item.type !== 'Word') return []
    if (item.parts === undefined) return [expandLiteral(context, item)]
    // Remaining braces are text: bash expands them only once.
    return finishAll(expandParts(context, item.parts, 'split', span), 'split', span)
  })
}

/** The cost of a word without expansions. */
const LITERAL_STEPS = 8

function expandLiteral(context: ShellContext, word: Word): Field {
  spend(LITERAL_STEPS)
  const span = context.span(word)
  const { text, value } = word
  if (!text.includes('~')) return literal(value, span)
  return literal(expandTilde(context, text, value, true), span)
}

/** `~`, `~user`, `~+` at the start of a word, or behind the `=` of a word that looks like an assignment. */
function expandTilde(context: ShellContext, text: string, value: string, isWhole: boolean): string {
  const name = /^[A-Za-z_]\w*=(?=~)/.exec(text)?.[0] ?? ''
  const match = /^~([\w.+-]*)(?=(\/)|$)/.exec(text.slice(name.length))
  if (match === null || (match[2] === undefined && !isWhole)) return value
  const folder = homeOf(context, match[1] ?? '')
  return folder === null ? value : name + folder + value.slice(name.length + match[0].length)
}

function homeOf(context: ShellContext, user: string): string | null {
  const { state, environment } = context
  if (user === '') return state.variables.get('HOME')?.values[0]?.text ?? environment.home
  if (user === '+') return state.folders[0] ?? UNKNOWN
  if (user === '-') return UNKNOWN
  if (/^[+-]?\d+$/.test(user)) return UNKNOWN
  if (user === environment.user) return environment.home
  return user === 'root' ? '/root' : `/home/${user}`
}

function expandParts(context: ShellContext, parts: readonly WordPart[], manner: Manner, span: Span): Draft[] {
  let drafts: Draft[] = [newDraft()]
  parts.forEach((part, index) => {
    spendOn(drafts)
    drafts = expandPart(context, part, drafts, {
      manner,
      span,
      isFirst: index === 0,
      isLast: index === parts.length - 1,
    })
    if (drafts.length > MAX_DRAFTS) drafts = [{ ...(drafts[0] ?? newDraft()) }, unknownDraft(drafts)]
  })
  return drafts
}

/** Every draft gets the part appended, and its text is scanned again. */
function spendOn(drafts: readonly Draft[]): void {
  for (const { text } of drafts) spend(24 + text.length / 32)
}

interface Place {
  manner: Manner
  span: Span
  isFirst: boolean
  isLast: boolean
}

function expandPart(context: ShellContext, part: WordPart, drafts: Draft[], place: Place): Draft[] {
  switch (part.type) {
    case 'Literal': {
      const text =
        place.isFirst && part.text.includes('~')
          ? expandTilde(context, part.text, part.value, place.isLast)
          : part.value
      return appendText(drafts, text)
    }
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return appendText(drafts, part.value)
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.reduce<Draft[]>(
        (soFar, child) => {
          spendOn(soFar)
          return expandQuoted(context, child, soFar, place)
        },
        appendText(drafts, ''),
      )
    case 'Glob':
      return part.kind === 'bracket'
        ? expandRaw(context, part, part.parts, drafts)
        : appendGlob(drafts, part.text, part.text)
    case 'ExtendedGlob':
      // Bash supports it only with `extglob`, and zsh runs the content of some of them.
      if (place.manner === 'split')
        context.ask('unreadable', reason('shell.extended-pattern'), context.span(part))
      return expandRaw(context, part, part.parts ?? [], drafts)
    case 'BraceExpansion': {
      const inner = { ...place, isFirst: false, isLast: false }
      const opened = appendText(drafts, part.parts === undefined ? part.text : '{')
      const filled = (part.parts ?? []).reduce<Draft[]>((soFar, child) => {
        spendOn(soFar)
        return expandPart(context, child, soFar, inner)
      }, opened)
      return part.parts === undefined ? filled : appendText(filled, '}')
    }
    case 'ProcessSubstitution': {
      const stream = context.withStdin(part.operator === '>' ? context.stdin : null, () =>
        context.substitute(part.script, context.span(part)),
      )
      return drafts.map((draft) => ({
        ...draft,
        text: `${draft.text}/dev/fd/63`,
        pattern: `${draft.pattern}/dev/fd/63`,
        isStarted: true,
        shape: null,
        // Text that is written to it goes to its programs: a shell among them runs it.
        stream:
          part.operator === '<' ? stream : { text: null, taint: stream.taint & Taint.shell, names: null },
      }))
    }
    default:
      return appendValues(drafts, valuesOf(context, part), {
        isQuoted: place.manner === 'whole',
        separators: context.state.variables.get('IFS')?.values[0]?.text ?? ' \t\n',
      })
  }
}

/** A part that is a pattern. If it contains an expansion, its matches are unknown. */
function expandRaw(
  context: ShellContext,
  part: Extract<WordPart, { type: 'Glob' | 'ExtendedGlob' }>,
  parts: readonly WordPart[],
  drafts: Draft[],
): Draft[] {
  if (parts.every((child) => child.type === 'Literal')) return appendGlob(drafts, part.text, part.text)
  const span = context.span(part)
  const taint = expandParts(context, parts, 'whole', span).reduce((sum, draft) => sum | draft.taint, 0)
  const plain = plainText(parts)
  if (plain !== null && part.type === 'Glob')
    return appendGlob(drafts, `[${plain.text}]`, `[${plain.pattern}]`)
  context.ask('unreadable', reason('shell.built-pattern'), span)
  return drafts.map((draft) => appendQuoted(draft, literal(UNKNOWN, span, taint)))
}

/** The text of parts that are all known, with the quoted text escaped; null if one of them is expanded. */
function plainText(parts: readonly WordPart[]): { text: string; pattern: string } | null {
  let text = ''
  let pattern = ''
  for (const part of parts) {
    if (part.type === 'Literal') {
      text += part.value
      pattern += part.text
    } else if (part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted') {
      text += part.value
      pattern += part.value.replaceAll(/[\]\\^!-]/g, '\\$&').replaceAll('[', '\\[')
    } else return null
  }
  return { text, pattern }
}

function appendGlob(drafts: Draft[], text: string, pattern: string): Draft[] {
  return drafts.map((draft) => ({
    ...draft,
    text: draft.text + text,
    pattern: draft.pattern + pattern,
    isGlob: true,
    isMany: true,
    isStarted: true,
    shape: null,
  }))
}

function expandQuoted(context: ShellContext, part: WordPart, drafts: Draft[], place: Place): Draft[] {
  if (part.type === 'Literal') return appendText(drafts, part.value)
  const values = valuesOf(context, part)
  if (values.list !== null && place.manner === 'split') return appendList(drafts, values.list, place.span)
  return appendValues(drafts, values, { isQuoted: true, separators: '' })
}

function valuesOf(context: ShellContext, part: WordPart): Values {
  const span = context.span(part)
  switch (part.type) {
    case 'SimpleExpansion':
      return expandSimple(
        context,
        part.text.replaceAll(/[$\\\n]/g, (mark) => (mark === '$' ? '$' : '')).slice(1),
        span,
      )
    case 'ParameterExpansion':
      return expandParameter(context, part)
    case 'CommandExpansion': {
      const { text, taint, names, shape } = context.substitute(part.script, span)
      if (names !== null) return { alternatives: [], list: names.map((field) => ({ ...field, taint })) }
      const value = text === null ? UNKNOWN : withoutFinalNewlines(text).replaceAll('\0', '')
      const isShaped = text === null && shape !== undefined
      return { alternatives: [{ ...literal(value, span, taint), ...(isShaped && { shape }) }], list: null }
    }
    case 'ArithmeticExpansion':
      return { alternatives: [expandArithmetic(context, part.expression, span)], list: null }
    default:
      // Fails closed on a kind of part that is not known here.
      judgeRaw(context, part.text, span)
      return { alternatives: [literal(UNKNOWN, span, Taint.variable)], list: null }
  }
}

function withoutFinalNewlines(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n') end--
  return text.slice(0, end)
}
