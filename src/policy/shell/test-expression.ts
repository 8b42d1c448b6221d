/** `[[ … ]]`: looks at files and compares texts. Numbers are arithmetic, which may run commands. */

import type { TestExpression, Word } from 'unbash'
import { judgeNumber } from './arithmetic.js'
import { expandWord } from './expand.js'
import type { Field } from './field.js'
import type { Reader } from './interpreter.js'
import { judgeHidden, judgeRaw } from './raw.js'

export function walkTest(reader: Reader, expression: TestExpression): void {
  reader.spend()
  switch (expression.type) {
    case 'TestUnary':
      judgeUnary(reader, expression.operator, expandWord(reader, expression.operand, 'whole'))
      return
    case 'TestBinary':
      judgeBinary(reader, expression.operator, expression.left, expression.right)
      return
    case 'TestLogical':
      for (const operand of expression.operands) walkTest(reader, operand)
      return
    case 'TestNot':
      walkTest(reader, expression.operand)
      return
    case 'TestGroup':
      walkTest(reader, expression.expression)
      return
    default:
      judgeUnknown(reader, expression)
  }
}

/** A kind of expression that is not known here. */
function judgeUnknown(reader: Reader, node: never): void {
  const { pos, end } = node as { pos: number; end: number }
  judgeRaw(reader, reader.source.slice(pos, end), reader.span({ pos, end }))
}

/** Also for `test` and `[`. */
export function judgeUnary(reader: Reader, operator: string, operands: readonly Field[]): void {
  for (const operand of operands) {
    if (/^-[abcdefghkprstuwxGLNOS]$/.test(operator)) reader.access('look', operand)
    else if (/^-[nzto]$/.test(operator)) continue
    else if (/^-[vR]$/.test(operator) && !/^\w+$/.test(operand.text)) {
      reader.ask('unknown-value', 'The name of a variable may hold a command.', operand.span)
      judgeHidden(reader, operand.text, operand.span)
    }
  }
}

function judgeBinary(reader: Reader, operator: string, left: Word, right: Word): void {
  const operands = [left, right].flatMap((word) => expandWord(reader, word, 'whole'))
  for (const operand of operands) {
    if (/^-(?:nt|ot|ef)$/.test(operator)) reader.access('look', operand)
    else if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(operator)) judgeNumber(reader, operand)
    else if (!TEXT_OPERATORS.test(operator))
      reader.ask('unreadable', `${operator} is not known to be harmless.`, operand.span)
  }
}

const TEXT_OPERATORS = /^(?:=|==|!=|=~|<|>)$/
