/** Programs that read commands line by line in a format of their own: `crontab -`, `make -f -`, `npm exec -c`. */

import { reason } from '../../protocol/reason/reason.js'
import { taintOf } from '../shell/field.js'
import { ANYTHING } from '../shell/stream.js'
import { applyRole, type Call, type Handler } from './handler.js'
import { optionTable, readArguments } from './option.js'

const MAX_LINES = 200

function runLines({ context, span }: Call, commandIn: (line: string) => string | undefined): void {
  const lines = (context.stdin?.text ?? '').split('\n').slice(0, MAX_LINES)
  for (const line of lines) {
    const text = commandIn(line)
    if (text !== undefined && text !== '') context.inSubshell(() => context.runText(text, span))
  }
}

/** The command follows the time, which has five fields or a name. */
function scheduledCommand(line: string): string | undefined {
  const words = line.trim().split(/\s+/)
  const count = words[0]?.startsWith('@') ? 1 : 5
  const isTime = words.slice(0, count).every((word) => /^@?[\d*/,a-zA-Z-]+$/.test(word))
  return isTime ? words.slice(count).join(' ') : undefined
}
const CRONTAB = optionTable('-eilr -u:')

export const crontab: Handler = (call) => {
  const given = readArguments(CRONTAB, call.args)
  call.context.ask('code', reason('program.runs-command', { name: call.name }), call.span)
  for (const field of given.operands) applyRole(call, 'read', field)
  if (given.operands.every(({ text }) => text === '-')) runLines(call, scheduledCommand)
  return ANYTHING
}

/** A recipe follows a tab, or the semicolon of its rule. */
function recipeCommand(line: string): string | undefined {
  const semicolon = line.indexOf(';')
  const start = line.startsWith('\t') ? 1 : line.slice(0, semicolon).includes(':') ? semicolon + 1 : 0
  return start === 0 ? undefined : line.slice(start).replace(/^[\s@+-]+/, '')
}

/** A makefile from a pipe; `otherwise` judges the rest. */
export function makeFrom(otherwise: Handler): Handler {
  return (call) => {
    const words = call.args.map(({ text }) => text).join(' ')
    if (/(?:^| )(?:-f ?|--(?:make)?file[= ])-(?: |$)/.test(words)) runLines(call, recipeCommand)
    return otherwise(call)
  }
}

/** `npm exec -c '…'` runs a shell command, like `npx -c`. */
export const npm: Handler = (call) => {
  const { context, args, name, span } = call
  context.ask('program', reason('program.unlisted', { name }), span)
  const passed = { text: null, taint: taintOf(args) | (context.stdin?.taint ?? 0), names: null }
  const [verb] = args.filter(({ text }) => !text.startsWith('-'))
  if (verb?.text !== 'exec' && verb?.text !== 'x') return passed
  for (const [index, field] of args.entries()) {
    const given = /^(?:-c|--call)$/.test(field.text) ? args[index + 1] : undefined
    const joined = /^--call=(.*)$/s.exec(field.text)?.[1]
    if (given !== undefined) applyRole(call, 'shell', given)
    else if (joined !== undefined) context.inSubshell(() => context.runText(joined, field.span))
  }
  return passed
}
