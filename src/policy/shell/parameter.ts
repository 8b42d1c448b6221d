/** The value of `$x` and `${x…}`, as far as the command itself says what it is. */

import type { ParameterExpansionPart, ParameterOperation, Word } from 'unbash'
import { isKnown, UNKNOWN } from '../file/path.js'
import { judgeNumber } from './arithmetic.js'
import { escapePattern, type Field, literal, type Span, Taint, type Values } from './field.js'
import type { Reader } from './interpreter.js'
import { walkNested } from './nested.js'
import { removeFitting } from './pattern.js'
import { judgeHidden, judgeRaw } from './raw.js'

/** Variables of the environment that hold no secret, whatever their value is. */
const HARMLESS =
  /^(?:LC_(?:ALL|ADDRESS|COLLATE|CTYPE|IDENTIFICATION|MEASUREMENT|MESSAGES|MONETARY|NAME|NUMERIC|PAPER|TELEPHONE|TIME)|LANG|LANGUAGE|TZ|TERM|SHELL|UID|EUID|PPID|HOSTNAME|HOSTTYPE|OSTYPE|MACHTYPE|RANDOM|SRANDOM|SECONDS|EPOCHSECONDS|EPOCHREALTIME|LINENO|SHLVL|BASH|BASHPID|BASH_VERSION|BASHOPTS|SHELLOPTS|COLUMNS|LINES|PATH|TMPDIR|OLDPWD|EDITOR|VISUAL|PAGER|NO_COLOR|CI|NODE_ENV|PIPESTATUS|FUNCNAME|BASH_SOURCE|GROUPS|DIRSTACK|OPTARG|OPTIND|XDG_\w+_(?:HOME|DIR))$/

export function expandSimple(reader: Reader, name: string, span: Span): Values {
  return valuesOfName(reader, name, span)
}

export function expandParameter(reader: Reader, part: ParameterExpansionPart): Values {
  const span = reader.span(part)
  if (part.index !== undefined) judgeIndex(reader, part.index)
  if (part.operation?.type === 'Names') return { alternatives: [literal(UNKNOWN, span)], list: null }
  if (part.prefix === '#') return { alternatives: [lengthOf(reader, part.parameter, span)], list: null }
  let values = indexed(reader, part, span)
  if (part.prefix === '!' && part.index !== undefined && isWhole(part.index))
    return { alternatives: [literal(UNKNOWN, span)], list: null }
  if (part.prefix === '!') values = indirect(reader, values, span)
  return part.operation === undefined ? values : apply(reader, part, part.operation, values)
}

/** The index of a list is arithmetic, unless it means all of them. */
export function judgeIndex(reader: Reader, index: Word): void {
  if (isWhole(index)) return
  for (const field of reader.expandWhole(index)) judgeNumber(reader, field)
}

function isWhole({ text }: Word): boolean {
  return text === '@' || text === '*'
}

function valuesOfName(reader: Reader, name: string, span: Span): Values {
  const { state } = reader
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

function indexed(reader: Reader, { parameter, index }: ParameterExpansionPart, span: Span): Values {
  const list = reader.state.variables.get(parameter)?.list ?? null
  if (index === undefined || list === null) return valuesOfName(reader, parameter, span)
  if (index.text === '@' || index.text === '*') return { alternatives: list, list }
  const element = /^\d+$/.test(index.text)
    ? (list[Number(index.text)] ?? literal('', span))
    : literal(UNKNOWN, span)
  return { alternatives: [element], list: null }
}

function lengthOf(reader: Reader, name: string, span: Span): Field {
  const [only, ...others] = valuesOfName(reader, name, span).alternatives
  const isSure = only !== undefined && others.length === 0 && isKnown(only.text)
  return literal(isSure ? String(only.text.length) : UNKNOWN, span)
}

/** The value is a name, or the name of an element, whose index is arithmetic. */
function indirect(reader: Reader, { alternatives }: Values, span: Span): Values {
  return {
    alternatives: alternatives.flatMap(({ text }) => {
      if (/^(?:[A-Za-z_]\w*|\d+)$/.test(text)) return valuesOfName(reader, text, span).alternatives
      reader.ask(
        'unknown-value',
        'Which variable is read is not known, and its index may run commands.',
        span,
      )
      judgeHidden(reader, text, span)
      return [literal(UNKNOWN, span, Taint.variable)]
    }),
    list: null,
  }
}

function apply(
  reader: Reader,
  part: ParameterExpansionPart,
  operation: ParameterOperation,
  values: Values,
): Values {
  const span = reader.span(part)
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
        reader,
        part.parameter,
        operation.operator,
        reader.expandWhole(operation.operand),
        values,
      )
    case 'Remove': {
      const [pattern] = reader.expandWhole(operation.operand)
      return each((text) => {
        reader.spend(1 + ((pattern?.text.length ?? 0) * text.length) / 500)
        return remove(text, operation.operator, pattern)
      })
    }
    case 'Replace': {
      const [pattern] = reader.expandWhole(operation.pattern)
      const [replacement] = reader.expandWhole(operation.replacement)
      return each((text) => replace(text, operation.operator, pattern, replacement?.text ?? ''))
    }
    case 'Slice': {
      const [offset, ...otherOffsets] = reader.expandWhole(operation.offset)
      const [length, ...otherLengths] =
        operation.length === undefined ? [] : reader.expandWhole(operation.length)
      for (const field of [offset, length, ...otherOffsets, ...otherLengths])
        if (field !== undefined) judgeNumber(reader, field)
      const isSure = otherOffsets.length === 0 && otherLengths.length === 0
      return each((text) => (isSure ? slice(text, offset?.text ?? '', length?.text) : UNKNOWN))
    }
    case 'CaseModification':
      if (operation.operand !== undefined) walkNested(reader, operation.operand)
      return operation.operand === undefined
        ? each((text) => changeCase(text, operation.operator))
        : each(() => UNKNOWN)
    case 'Transform':
      // `@P` runs what stands in the value; these only change how it is written.
      if (!/^[QEAKakUuL]$/.test(operation.operand.text)) {
        reader.ask('unknown-value', 'A value is expanded like a prompt, which may run commands.', span)
        for (const { text } of values.alternatives) judgeHidden(reader, text, span)
      }
      return each(() => UNKNOWN)
    default:
      judgeRaw(reader, part.text, span)
      return each(() => UNKNOWN)
  }
}

function withDefault(
  reader: Reader,
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
      if (shown !== undefined)
        reader.askContained('secret-variable', 'It shows a variable whose value may be a secret.', shown.span)
      return values
    }
    case '=':
    case ':=': {
      const [first] = operand
      if (has || first === undefined) return values
      reader.ask('environment', `It sets the variable ${name}.`, first.span)
      reader.state.set(name, operand)
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
  // Bash puts what was found in its place.
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
