/** `test`, `[` and `[[`: comparisons, and tests of file names. */

import { reason } from '../../../protocol/reason/reason.js'
import { isKnown } from '../../file/path.js'
import { type Check, type Context, checkField } from '../context.js'
import type { Field } from '../place.js'
import { refuse } from '../unproven.js'

const FILE_TESTS = new Set('-f -d -e -r -w -x -s -L -h -p -S -b -c -g -u -k -O -G -N'.split(' '))
const COMPARISONS = new Set(['=', '==', '!=', '-eq', '-ne', '-lt', '-le', '-gt', '-ge'])
const FILE_COMPARISONS = new Set(['-nt', '-ot', '-ef'])

export const checkTest: Check = (args, context) => {
  const words = context.program === '[' ? args.slice(0, -1) : args
  if (context.program === '[' && args.at(-1)?.text !== ']')
    refuse(reason('proof.missing', { sign: ']' }), context.at)
  checkExpression(words, context)
}

/** Between `[[` and `]]`, where numbers are evaluated, so only plain ones are accepted. */
export function checkDoubleBrackets(words: readonly Field[], context: Context): void {
  let part: Field[] = []
  for (const word of words) {
    if (word.text === '&&' || word.text === '||') {
      checkPart(part, context)
      part = []
    } else part.push(word)
  }
  checkPart(part, context)
}

function checkPart(words: readonly Field[], context: Context): void {
  const operator = words.find(({ text }) => /^-(?:eq|ne|lt|le|gt|ge)$/.test(text))
  if (
    operator !== undefined &&
    !words.every((field) => field === operator || /^[0-9]+$|^!$/.test(field.text))
  )
    refuse(reason('proof.test'), operator.at)
  checkExpression(words, context)
}

function checkExpression(words: readonly Field[], context: Context): void {
  const [first, second, third, ...more] = words
  if (first === undefined) return refuse(reason('proof.test'), context.at)
  if (first.text === '!' && words.length > 1) return checkExpression(words.slice(1), context)
  if (more.length > 0) return refuse(reason('proof.test'), context.at)
  if (second === undefined) return checkOne(first)
  if (third === undefined) {
    if (first.text === '-n' || first.text === '-z') return
    if (!FILE_TESTS.has(first.text)) return refuse(reason('proof.test'), first.at)
    return checkField('look', second, context)
  }
  if (FILE_COMPARISONS.has(second.text)) {
    checkField('look', first, context)
    return checkField('look', third, context)
  }
  if (!COMPARISONS.has(second.text)) refuse(reason('proof.test'), second.at)
}

function checkOne({ text, at }: Field): void {
  if (!isKnown(text) || text.startsWith('-') || text === '(') refuse(reason('proof.test'), at)
}
