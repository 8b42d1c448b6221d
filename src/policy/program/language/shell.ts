/** Other shells: `bash -c '…'`, `sh script`, `… | sh`. */

import { reason } from '../../../protocol/reason/reason.js'
import { isKnown } from '../../file/path.js'
import { type Field, type Stream, Taint } from '../../shell/field.js'
import { ANYTHING } from '../../shell/stream.js'
import type { Call, Handler } from '../handler.js'
import { runScript } from './run-script.js'

export const SHELLS: ReadonlySet<string> = new Set(
  'sh bash dash zsh ksh ksh93 mksh pdksh ash fish csh tcsh yash rbash rksh hush osh nu xonsh elvish'.split(
    ' ',
  ),
)

interface Invocation {
  /** The text behind `-c`. */
  code: Field | null
  operands: readonly Field[]
  readsStdin: boolean
  isInteractive: boolean
  /** `-n`: only checks the syntax. */
  isCheck: boolean
  startFiles: readonly Field[]
}

export const shell: Handler = (call) => {
  const { context, name, span } = call
  const { code, operands, readsStdin, isInteractive, isCheck, startFiles } = readInvocation(call.args)
  context.ask('code', reason('program.runs-script', { name }), span)
  for (const file of startFiles) context.access('read', file)
  if (isCheck) return ANYTHING
  if (code !== null) return runCode(call, code, operands)
  const [script, ...rest] = operands
  if (script !== undefined && !readsStdin && script.text !== '-') {
    context.access('read', script)
    return runScript(call, context.contentOf(script), { positional: [script, ...rest], span: script.span })
  }
  if (context.stdin === null || isInteractive) {
    const out = context.stdin === null ? ANYTHING : runScript(call, context.stdin)
    return { ...out, text: null, taint: out.taint | Taint.shell }
  }
  if (context.stdin.text === null) context.ask('code', reason('program.runs-input', { name }), span)
  const out = runScript(call, context.stdin, { positional: operands })
  return { ...out, taint: out.taint | (context.stdin.text === null ? Taint.shell : 0) }
}

function runCode(call: Call, code: Field, operands: readonly Field[]): Stream {
  const { context } = call
  if (code.taint & Taint.unseen) {
    context.deny('unseen-code', reason('shell.unseen-code'), code.span)
  }
  if (!isKnown(code.text)) context.ask('unknown-value', reason('shell.unknown-program'), code.span)
  return runScript(
    call,
    { text: code.text, taint: 0, names: null },
    { positional: operands, span: code.span },
  )
}

const WITH_VALUE = /^(?:--rcfile|--init-file|--init-command|-C)$/

function readInvocation(args: readonly Field[]): Invocation {
  const found = { code: null as Field | null, readsStdin: false, isInteractive: false, isCheck: false }
  const startFiles: Field[] = []
  let hasCode = false
  let at = 0
  for (; at < args.length; at++) {
    const field = args[at] as Field
    const { text } = field
    if (text === '--' || text === '-') {
      at++
      break
    }
    if (WITH_VALUE.test(text)) {
      const file = args[++at]
      if (file !== undefined) startFiles.push(file)
    } else if (text === '--command') {
      hasCode = true
    } else if (/^[-+][a-zA-Z]+$/.test(text)) {
      if (text.startsWith('-')) {
        hasCode ||= text.includes('c')
        found.readsStdin ||= text.includes('s')
        found.isInteractive ||= text.includes('i')
        found.isCheck ||= text.includes('n')
      }
      if (/[oO]$/.test(text)) at++
    } else if (!/^--\w/.test(text)) break
  }
  const rest = args.slice(at)
  if (!hasCode) return { ...found, operands: rest, startFiles }
  const [code = null, ...operands] = rest
  return { ...found, code, operands, startFiles }
}
