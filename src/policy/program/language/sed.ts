/** `sed`: reads its script, because some of its commands write files and run programs. */

import { reason } from '../../../protocol/reason/reason.js'
import { type Field, literal, type Stream } from '../../shell/field.js'
import { applyRole, type Call, type Handler, inputOf, judgeProgramText, judgeText } from '../handler.js'
import { optionTable, readArguments } from '../option.js'
import { judgeOptions } from '../spec.js'
import { readSedScript } from './sed-script.js'

const TABLE = optionTable(
  `-nErsuzb -e: -f:read -i? -l: --quiet --silent --debug --expression: --file:read --follow-symlinks --in-place?
  --line-length: --null-data --posix! --regexp-extended --separate --sandbox --unbuffered --zero-terminated --binary
  --help --version`,
)

export const sed: Handler = (call) => {
  const { context, args, span } = call
  const given = readArguments(TABLE, args)
  judgeOptions(given, call)
  for (const { role, field } of given.options) if (role === 'ask') applyRole(call, 'ask', field)
  for (const field of args) judgeText(context, field)
  const scripts = given.options
    .filter(({ name }) => name === 'e' || name === 'expression')
    .flatMap(({ value }) => value ?? [])
  const hasFile = given.has('f', 'file')
  const [first, ...rest] = given.operands
  const inline = scripts.length === 0 && !hasFile ? (first === undefined ? [] : [first]) : scripts
  const files = scripts.length === 0 && !hasFile ? rest : given.operands
  if (hasFile) context.ask('code', reason('sed.file'), span)
  if (given.has('i', 'in-place')) {
    context.ask('write', reason('sed.in-place'), span)
    for (const file of files) context.access('write', file)
  } else for (const file of files) context.access('read', file)
  const input = inputOf(call, files)
  judgeScript(call, inline, input)
  return { ...input, text: null }
}

function judgeScript(call: Call, scripts: readonly Field[], input: Stream): void {
  const { context } = call
  const [first] = scripts
  if (first === undefined) return
  for (const script of scripts) judgeProgramText(call, script)
  const found = readSedScript(scripts.map(({ text }) => text).join('\n'))
  const at = (text: string) => literal(text, first.span, first.taint)
  if (!found.isUnderstood) context.ask('code', reason('sed.unreadable'), first.span)
  for (const path of found.writes) {
    if (!/^\/dev\/(?:stdout|stderr)$/.test(path))
      context.access('write', at(path), {
        content: { text: null, taint: first.taint | input.taint, names: null },
      })
  }
  for (const path of found.reads) context.access('read', at(path))
  for (const command of found.runs) applyRole(call, 'shell', at(command))
  if (found.runsInput) applyRole(call, 'shell', at(input.text ?? ''))
}
