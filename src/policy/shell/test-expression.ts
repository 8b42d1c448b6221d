/** `[[ … ]]`: tests files and compares texts. Numbers are arithmetic, which may run commands. */

import type { TestExpression, Word } from 'unbash'
import { reason } from '../../protocol/reason/reason.js'
import type { JudgeContext } from '../program/judge-context.js'
import type { Field } from './field.js'
import type { ShellContext } from './shell-context.js'
import { judgeNumber } from './word/arithmetic.js'
import { expandWord } from './word/expand.js'
import { judgeHidden, judgeRaw } from './word/raw.js'

export function walkTest(context: ShellContext, expression: TestExpression): void {
  context.spend()
  switch (expression.type) {
    case 'TestUnary':
      judgeUnary(context, expression.operator, expandWord(context, expression.operand, 'whole'))
      return
    case 'TestBinary':
      judgeBinary(context, expression.operator, expression.left, expression.right)
      return
    case 'TestLogical':
      for (const operand of expression.operands) walkTest(context, operand)
      return
    case 'TestNot':
      walkTest(context, expression.operand)
      return
    case 'TestGroup':
      walkTest(context, expression.expression)
      return
    default:
      judgeUnknown(context, expression)
  }
}

/** Fails closed on a kind of expression that is not known here. */
function judgeUnknown(context: ShellContext, node: never): void {
  const { pos, end } = node as { pos: number; end: number }
  judgeRaw(context, context.source.slice(pos, end), context.span({ pos, end }))
}

/** Also for `test` and `[`. */
export function judgeUnary(context: JudgeContext, operator: string, operands: readonly Field[]): void {
  for (const operand of operands) {
    if (/^-[abcdefghkprstuwxGLNOS]$/.test(operator)) context.access('look', operand)
    else if (/^-[nzto]$/.test(operator)) continue
    else if (/^-[vR]$/.test(operator) && !/^\w+$/.test(operand.text)) {
      context.ask('unknown-value', reason('shell.test-name'), operand.span)
      judgeHidden(context, operand.text, operand.span)
    }
  }
}

function judgeBinary(context: ShellContext, operator: string, left: Word, right: Word): void {
  const operands = [left, right].flatMap((word) => expandWord(context, word, 'whole'))
  for (const operand of operands) {
    if (/^-(?:nt|ot|ef)$/.test(operator)) context.access('look', operand)
    else if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(operator)) judgeNumber(context, operand)
    else if (!TEXT_OPERATORS.test(operator))
      context.ask('unreadable', reason('shell.test-operator', { operator }), operand.span)
  }
}

const TEXT_OPERATORS = /^(?:=|==|!=|=~|<|>)$/
