/**
 * Editors: the policy always asks about them, and judges the editor commands in their arguments and input, which write
 * and run at once.
 */

import { reason } from '../../../protocol/reason/reason.js'
import { type Field, literal } from '../../shell/field.js'
import { ANYTHING } from '../../shell/stream.js'
import { applyRole, type Call, type Handler } from '../handler.js'
import { optionTable, readArguments } from '../option.js'

const TABLE = optionTable(
  '-abdeEhlLmMnNpRsSvVyZ -c: -u:read -U:read -w:write -W:write -i: -T: -t: -O? -o? --cmd: --startuptime:write --clean --headless --noplugin --not-a-term --batch --eval: -Q -q -f',
)

const editor: Handler = (call) => {
  const { context, name, args, span } = call
  const scripts = args.filter(({ text }) => text.startsWith('+') && text.length > 1)
  const given = readArguments(
    TABLE,
    args.filter((field) => !scripts.includes(field)),
  )
  context.ask('code', reason('program.editor', { name }), span)
  for (const { role, value } of given.options)
    if (value !== null && role !== 'text') applyRole(call, role, value)
  const commands = [
    ...scripts.map(({ text }) => text.slice(1)),
    ...given.options.flatMap(({ name: option, value }) =>
      /^(?:c|cmd)$/.test(option) && value !== null ? [value.text] : [],
    ),
    ...(/^(?:ed|ex|vi|vim|nvim)$/.test(name) && context.stdin?.text ? context.stdin.text.split('\n') : []),
  ]
  for (const command of commands) judgeCommand(call, command)
  const saves = commands.some((command) => SAVES.test(command))
  for (const file of given.operands) if (file.text !== '-') context.access(saves ? 'write' : 'read', file)
  return ANYTHING
}

const SAVES =
  /(?:^|[:|\s,%$\d])(?:w|wq|wqa|wa|x|xa|xit|exit|update|up)!?\s{0,20}(?:$|\|)|(?:^|\|)\s{0,20}:?(?:w|wq|x)!?\s{0,20}$|\bZZ\b/

function judgeCommand(call: Call, command: string): void {
  const at = (text: string): Field => literal(text.trim(), call.span)
  for (const match of command.matchAll(
    /(?:^|[:|%\d,])\s{0,20}(?:w|wq|write|sav|saveas|up|update|x)!?\s{1,20}(?!!)([^|\s]+)/g,
  )) {
    call.context.access('write', at(match[1] ?? ''))
  }
  for (const match of command.matchAll(/!\s*([^|]+)|\bsystem\(['"]([^'"]*)['"]\)/g)) {
    applyRole(call, 'shell', at(match[1] ?? match[2] ?? ''))
  }
}

export const EDITORS: Readonly<Record<string, Handler>> = Object.fromEntries(
  'vi vim nvim view ex ed red vimdiff gvim nano pico micro joe mg ne kak hx code subl gedit'
    .split(' ')
    .map((name) => [name, editor]),
)
