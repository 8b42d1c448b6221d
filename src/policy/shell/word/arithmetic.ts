/**
 * Arithmetic: numbers are computed; bash evaluates the value of a name as an expression again, which may run commands.
 */

import type { ArithmeticExpression } from 'unbash'
import { reason } from '../../../protocol/reason/reason.js'
import { isKnown, UNKNOWN } from '../../file/path.js'
import { type Field, literal, type Span } from '../field.js'
import type { ShellContext } from '../shell-context.js'
import { walkNested } from './nested.js'
import { judgeHidden } from './raw.js'

export function expandArithmetic(
  context: ShellContext,
  expression: ArithmeticExpression | undefined,
  span: Span,
): Field {
  if (expression === undefined) return literal('0', span)
  walkNested(context, expression)
  const value = valueOf(context, expression)
  if (value === null) {
    context.ask('unknown-value', reason('shell.arithmetic'), span)
    return literal(UNKNOWN, span)
  }
  return Number.isNaN(value) ? { ...literal(UNKNOWN, span), shape: 'number' } : literal(String(value), span)
}

/**
 * Text that bash evaluates as a number: an index, an offset, a length. A name or a bracket in it is a value that is
 * evaluated again and may run commands, so only digits and signs are harmless.
 */
export function judgeNumber(context: ShellContext, { text, span, shape, pattern }: Field): void {
  // A glob may expand to file names with any text.
  if (shape === 'number' || (pattern === null && NUMBER.test(text))) return
  context.ask('unknown-value', reason('shell.number'), span)
  judgeHidden(context, text, span)
  const names = new Set(text.match(/[A-Za-z_]\w*/g))
  for (const name of names) {
    for (const value of context.state.variables.get(name)?.values ?? [])
      judgeHidden(context, value.text, span)
  }
}

const NUMBER = /^[-+*/%()\s\d]*$/

/** `NaN` is an unknown number. */
function valueOf(context: ShellContext, node: ArithmeticExpression): number | null {
  context.spend()
  switch (node.type) {
    case 'ArithmeticWord': {
      const value = numberOf(context, node.value)
      if (value === null) judgeHidden(context, node.value, context.span(node))
      return value
    }
    case 'ArithmeticGroup':
      return valueOf(context, node.expression)
    case 'ArithmeticUnary': {
      const value = valueOf(context, node.operand)
      if (value === null || !node.prefix) return null
      if (Number.isNaN(value)) return Object.hasOwn(UNARY, node.operator) ? value : null
      return UNARY[node.operator]?.(value) ?? null
    }
    case 'ArithmeticBinary': {
      const left = valueOf(context, node.left)
      const right = valueOf(context, node.right)
      if (left === null || right === null) return null
      if (Number.isNaN(left + right)) return Object.hasOwn(BINARY, node.operator) ? Number.NaN : null
      return BINARY[node.operator]?.(left, right) ?? null
    }
    default:
      return null
  }
}

function numberOf(context: ShellContext, text: string): number | null {
  const digits = /^(0x[\da-f]+|\d+)$/i.exec(text.trim())?.[1]
  if (digits !== undefined) return /^0\d/.test(digits) ? Number.parseInt(digits, 8) : Number(digits)
  const name = /^\$?\{?([A-Za-z_]\w*)\}?$/.exec(text.trim())?.[1]
  const values = (name === undefined ? undefined : context.state.variables.get(name)?.values) ?? []
  for (const value of values) judgeHidden(context, value.text, value.span)
  const [only, ...others] = values
  const isNumber = ({ text: value, shape }: Field) =>
    shape === 'number' || /^-?(?:0|[1-9]\d{0,14})$/.test(value)
  if (only === undefined || !values.every(isNumber)) return null
  return others.length === 0 && isKnown(only.text) ? Number(only.text) : Number.NaN
}

const UNARY: Readonly<Record<string, (value: number) => number>> = {
  '-': (value) => -value,
  '+': (value) => value,
  '!': (value) => (value === 0 ? 1 : 0),
  '~': (value) => ~value,
}

const BINARY: Readonly<Record<string, (left: number, right: number) => number | null>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => (right === 0 ? null : Math.trunc(left / right)),
  '%': (left, right) => (right === 0 ? null : left % right),
  '**': (left, right) => left ** right,
  '<<': (left, right) => left << right,
  '>>': (left, right) => left >> right,
  '&': (left, right) => left & right,
  '|': (left, right) => left | right,
  '^': (left, right) => left ^ right,
  '<': (left, right) => Number(left < right),
  '>': (left, right) => Number(left > right),
  '<=': (left, right) => Number(left <= right),
  '>=': (left, right) => Number(left >= right),
  '==': (left, right) => Number(left === right),
  '!=': (left, right) => Number(left !== right),
  '&&': (left, right) => Number(left !== 0 && right !== 0),
  '||': (left, right) => Number(left !== 0 || right !== 0),
}
