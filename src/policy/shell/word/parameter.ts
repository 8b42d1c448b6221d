/** The value of `$x` and `${x…}`, as far as the command itself defines it. */

import type { ParameterExpansionPart, ParameterOperation, Word } from 'unbash'
import { removeFitting } from '../../../lib/glob/shell-pattern.js'
import { reason } from '../../../protocol/reason/reason.js'
import { isKnown, UNKNOWN } from '../../file/path.js'
import { escapePattern, type Field, literal, type Span, Taint, type Values } from '../field.js'
import type { ShellContext } from '../shell-context.js'
import { judgeNumber } from './arithmetic.js'
import { walkNested } from './nested.js'
import { judgeHidden, judgeRaw } from './raw.js'

/** Environment variables that are never secret. */
const HARMLESS =
  /^(?:LC_(?:ALL|ADDRESS|COLLATE|CTYPE|IDENTIFICATION|MEASUREMENT|MESSAGES|MONETARY|NAME|NUMERIC|PAPER|TELEPHONE|TIME)|LANG|LANGUAGE|TZ|TERM|SHELL|UID|EUID|PPID|HOSTNAME|HOSTTYPE|OSTYPE|MACHTYPE|RANDOM|SRANDOM|SECONDS|EPOCHSECONDS|EPOCHREALTIME|LINENO|SHLVL|BASH|BASHPID|BASH_VERSION|BASHOPTS|SHELLOPTS|COLUMNS|LINES|PATH|TMPDIR|OLDPWD|EDITOR|VISUAL|PAGER|NO_COLOR|CI|NODE_ENV|PIPESTATUS|FUNCNAME|BASH_SOURCE|GROUPS|DIRSTACK|OPTARG|OPTIND|XDG_\w+_(?:HOME|DIR))$/

export function expandSimple(context: ShellContext, name: string, span: Span): Values {
  return valuesOfName(context, name, span)
}

export function expandParameter(context: ShellContext, part: ParameterExpansionPart): Values {
  const span = context.span(part)
  if (part.index !== undefined) judgeIndex(context, part.index)
  if (part.operation?.type === 'Names') return { alternatives: [literal(UNKNOWN, span)], list: null }
  if (part.prefix === '#') return { alternatives: [lengthOf(context, part.parameter, span)], list: null }
  let values = indexed(context, part, span)
  if (part.prefix === '!' && part.index !== undefined && isWhole(part.index))
    return { alternatives: [literal(UNKNOWN, span)], list: null }
  if (part.prefix === '!') values = indirect(context, values, span)
  return part.operation === undefined ? values : apply(context, part, part.operation, values)
}

/** The index of a list is arithmetic, unless it selects all elements. */
export function judgeIndex(context: ShellContext, index: Word): void {
  if (isWhole(index)) return
  for (const field of context.expandWhole(index)) judgeNumber(context, field)
}

function isWhole({ text }: Word): boolean {
  return text === '@' || text === '*'
}

function valuesOfName(context: ShellContext, name: string, span: Span): Values {
  const { state } = context
  const known = state.variables.get(name)
  if (known !== undefined) return { alternatives: known.values, list: null }
  if (name === '@' || name === '*')
    return { alternatives: [literal(UNKNOWN, span)], list: state.positional?.slice(1) ?? null }
  if (/^\d+$/.test(name)) {
    const value =
      name === '0' ? (state.positional?.[0] ?? literal('bash', span)) : state.positional?.[Number(name)]
    return { alternatives: [value ?? literal(state.positional === null ? UNKNOWN : '', span)], list: null }
  }
  if (name === '_') return { alternatives: [state.lastArgument ?? literal(UNKNOWN, span)], list: null }
  const isHarmless = !/^[A-Za-z_]/.test(name) || HARMLESS.test(name)
  return { alternatives: [literal(UNKNOWN, span, isHarmless ? 0 : Taint.variable)], list: null }
}

function indexed(context: ShellContext, { parameter, index }: ParameterExpansionPart, span: Span): Values {
  const list = context.state.variables.get(parameter)?.list ?? null
  if (index === undefined || list === null) return valuesOfName(context, parameter, span)
  if (index.text === '@' || index.text === '*') return { alternatives: list, list }
  const element = /^\d+$/.test(index.text)
    ? (list[Number(index.text)] ?? literal('', span))
    : literal(UNKNOWN, span)
  return { alternatives: [element], list: null }
}

function lengthOf(context: ShellContext, name: string, span: Span): Field {
  const [only, ...others] = valuesOfName(context, name, span).alternatives
  const isSure = only !== undefined && others.length === 0 && isKnown(only.text)
  return literal(isSure ? String(only.text.length) : UNKNOWN, span)
}

/** The value is a name, or the name of an element, whose index is arithmetic. */
function indirect(context: ShellContext, { alternatives }: Values, span: Span): Values {
  return {
    alternatives: alternatives.flatMap(({ text }) => {
      if (/^(?:[A-Za-z_]\w*|\d+)$/.test(text)) return valuesOfName(context, text, span).alternatives
      context.ask('unknown-value', reason('shell.indirect'), span)
      judgeHidden(context, text, span)
      return [literal(UNKNOWN, span, Taint.variable)]
    }),
    list: null,
  }
}

function apply(
  context: ShellContext,
  part: ParameterExpansionPart,
  operation: ParameterOperation,
  values: Values,
): Values {
  const span = context.span(part)
  const each = (change: (text: string) => string): Values => ({
    alternatives: values.alternatives.map((value) => ({
      ...value,
      pattern: null,
      text: isKnown(value.text) ? change(value.text) : UNKNOWN,
    })),
    list: null,
  })
  switch (operation.type) {
    case 'Default':
      return withDefault(
        context,
        part.parameter,
        operation.operator,
        context.expandWhole(operation.operand),
        values,
      )
    case 'Remove': {
      const [pattern] = context.expandWhole(operation.operand)
      return each((text) => {
        context.spend(1 + ((pattern?.text.length ?? 0) * text.length) / 500)
        return remove(text, operation.operator, pattern)
      })
    }
    case 'Replace': {
      const [pattern] = context.expandWhole(operation.pattern)
      const [replacement] = context.expandWhole(operation.replacement)
      return each((text) => replace(text, operation.operator, pattern, replacement?.text ?? ''))
    }
    case 'Slice': {
      const [offset, ...otherOffsets] = context.expandWhole(operation.offset)
      const [length, ...otherLengths] =
        operation.length === undefined ? [] : context.expandWhole(operation.length)
      for (const field of [offset, length, ...otherOffsets, ...otherLengths])
        if (field !== undefined) judgeNumber(context, field)
      const isSure = otherOffsets.length === 0 && otherLengths.length === 0
      return each((text) => (isSure ? slice(text, offset?.text ?? '', length?.text) : UNKNOWN))
    }
    case 'CaseModification':
      if (operation.operand !== undefined) walkNested(context, operation.operand)
      return operation.operand === undefined
        ? each((text) => changeCase(text, operation.operator))
        : each(() => UNKNOWN)
    case 'Transform':
      // `@P` runs commands in the value; these only change how it is written.
      if (!/^[QEAKakUuL]$/.test(operation.operand.text)) {
        context.ask('unknown-value', reason('shell.prompt'), span)
        for (const { text } of values.alternatives) judgeHidden(context, text, span)
      }
      return each(() => UNKNOWN)
    default:
      judgeRaw(context, part.text, span)
      return each(() => UNKNOWN)
  }
}

function withDefault(
  context: ShellContext,
  name: string,
  operator: string,
  operand: readonly Field[],
  values: Values,
): Values {
  const { alternatives } = values
  const isSet = alternatives.every(({ text }) => isKnown(text))
  const isEmpty = alternatives.every(({ text }) => text === '')
  const has = isSet && !(isEmpty && operator.startsWith(':'))
  switch (operator) {
    case '+':
    case ':+':
      return {
        alternatives: has ? operand : [...operand, literal('', operand[0]?.span ?? [0, 0])],
        list: null,
      }
    case '?':
    case ':?': {
      const shown = operand.find(({ taint }) => taint & Taint.variable)
      if (shown !== undefined) context.askContained('secret-variable', reason('shell.secret'), shown.span)
      return values
    }
    case '=':
    case ':=': {
      const [first] = operand
      if (has || first === undefined) return values
      context.ask('environment', reason('shell.sets', { name }), first.span)
      context.state.set(name, operand)
      return { alternatives: [...alternatives, ...operand], list: null }
    }
    default:
      return has ? values : { alternatives: isSet ? operand : [...alternatives, ...operand], list: null }
  }
}

function remove(text: string, operator: string, pattern: Field | undefined): string {
  if (pattern === undefined || !isKnown(pattern.text)) return UNKNOWN
  return removeFitting(text, operator, pattern.pattern ?? escapePattern(pattern.text)) ?? UNKNOWN
}

function replace(text: string, operator: string, pattern: Field | undefined, replacement: string): string {
  if (pattern === undefined || pattern.pattern !== null || !isKnown(pattern.text) || !isKnown(replacement))
    return UNKNOWN
  // Bash replaces `&` with the match.
  if (replacement.includes('&')) return UNKNOWN
  const found = pattern.text
  if (found === '') return text
  if (operator === '//') return text.replaceAll(found, () => replacement)
  if (operator === '/#') return text.startsWith(found) ? replacement + text.slice(found.length) : text
  if (operator === '/%') return text.endsWith(found) ? text.slice(0, -found.length) + replacement : text
  return text.replace(found, () => replacement)
}

function slice(text: string, offset: string, length: string | undefined): string {
  if (!/^\s*-?\d+\s*$/.test(offset) || !/^\s*-?\d+\s*$/.test(length ?? '0')) return UNKNOWN
  const start = Number(offset)
  const count = length === undefined ? text.length : Number(length)
  if (!Number.isInteger(start) || !Number.isInteger(count)) return UNKNOWN
  const from = start < 0 ? Math.max(0, text.length + start) : start
  return text.slice(from, count < 0 ? text.length + count : from + count)
}

function changeCase(text: string, operator: string): string {
  const change = (piece: string) => (operator.startsWith('^') ? piece.toUpperCase() : piece.toLowerCase())
  return operator.length === 2 ? change(text) : change(text.slice(0, 1)) + text.slice(1)
}
