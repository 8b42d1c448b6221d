/** `awk`: reads its program for writes, commands, other input files and use of the environment. */

import { reason } from '../../../protocol/reason/reason.js'
import { UNKNOWN } from '../../file/path.js'
import { type Field, literal } from '../../shell/field.js'
import { applyRole, type Call, type Handler, inputOf, judgeProgramText, judgeText } from '../handler.js'
import { optionTable, readArguments } from '../option.js'
import { readAwkProgram } from './awk-program.js'

const TABLE = optionTable(
  `+stop -F: -v: -e: -f:read -i:ask -l:ask -E:read -bcCdDghIkLMnNoOpPrsStVW --field-separator: --assign: --source:
  --file:read --exec:read --include:ask --load:ask --re-interval --posix --traditional --lint? --characters-as-bytes
  --version --help --sandbox --non-decimal-data`,
)

export const awk: Handler = (call) => {
  const { context, args, span } = call
  const given = readArguments(TABLE, args)
  for (const field of given.unknown) applyRole(call, 'ask', field)
  for (const field of args) judgeText(context, field)
  for (const { role, value } of given.options)
    if (role === 'ask' && value !== null) applyRole(call, 'ask', value)
  if (given.has('d', 'D', 'g', 'I', 'o', 'p', 'W', 'L'))
    applyRole(call, 'ask', given.options[0]?.field ?? literal('', span))
  const isHidden = given.has('f', 'file', 'E', 'exec')
  if (isHidden) context.ask('code', reason('awk.file'), span)
  const sources = given.options
    .filter(({ name }) => name === 'e' || name === 'source')
    .flatMap(({ value }) => value ?? [])
  const [first, ...rest] = given.operands
  const programs = isHidden || sources.length > 0 ? sources : first === undefined ? [] : [first]
  const files = (isHidden || sources.length > 0 ? given.operands : rest).filter(
    ({ text }) => !/^[A-Za-z_]\w*=/.test(text),
  )
  const isInPlace = given.options.some(({ value }) => value?.text === 'inplace')
  for (const file of files) context.access(isInPlace ? 'write' : 'read', file)
  const input = inputOf(call, files)
  for (const program of programs) judgeProgram(call, program, input.taint)
  return { ...input, text: null }
}

function judgeProgram(call: Call, program: Field, taint: number): void {
  const { context } = call
  judgeProgramText(call, program)
  const found = readAwkProgram(program.text)
  const at = (text: string) => literal(text, program.span)
  for (const { kind, text } of found) {
    switch (kind) {
      case 'write':
        context.access('write', at(text ?? UNKNOWN), { content: { text: null, taint, names: null } })
        break
      case 'read':
        context.access('read', at(text ?? UNKNOWN))
        break
      case 'run':
        applyRole(call, 'shell', at(text ?? UNKNOWN))
        break
      case 'environment':
        context.ask('secret-variable', reason('awk.environment'), program.span)
        break
      case 'other':
        context.ask('code', reason('awk.effects'), program.span)
        break
    }
  }
  if (/\/inet[46]?\/(?:tcp|udp)\//.test(program.text)) {
    const hasShell = found.some(({ kind }) => kind === 'run') || /\|&/.test(program.text)
    if (hasShell) context.deny('reverse-shell', reason('awk.reverse-shell'), program.span)
    else context.ask('network', reason('awk.connection'), program.span)
  }
}
