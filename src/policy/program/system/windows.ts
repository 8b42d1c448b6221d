/** Windows shells. They are not parsed: openly destructive text is denied, and nothing is ever allowed. */

import { spend } from '../../../lib/step-budget.js'
import { reason } from '../../../protocol/reason/reason.js'
import { isProtectedFile } from '../../file/protected.js'
import type { Span } from '../../shell/field.js'
import { literal } from '../../shell/field.js'
import { ANYTHING } from '../../shell/stream.js'
import type { Handler } from '../handler.js'
import type { JudgeContext } from '../judge-context.js'

const DRIVE =
  /^["']?(?:[a-z]:[\\/]*\*?|\$env:(?:SystemDrive|USERPROFILE|HOME|SystemRoot)[\\/]*|~[\\/]*\*?|\$HOME[\\/]*\*?|[\\/]\*?|%(?:SystemDrive|USERPROFILE|SystemRoot)%[\\/]*|[a-z]:[\\/]+(?:Windows|Users|Program Files)[\\/]*|\.|\*|\.[\\/]\*)["']?$/i
const DELETES = /^(?:remove-item|ri|rm|rmdir|rd|del|erase|deltree)$/i
const WRITES =
  /^(?:set-content|sc|add-content|ac|out-file|clear-content|clc|new-item|ni|copy-item|cp|copy|cpi|move-item|mv|move|mi|rename-item|ren|rni|remove-item|ri|rm|del|erase|rd|rmdir|set-acl|icacls|attrib|takeown|tee-object|export-csv|invoke-webrequest|iwr|start-bitstransfer)$/i
const DISKS =
  /^(?:format-volume|clear-disk|initialize-disk|remove-partition|new-partition|reset-physicaldisk|format|diskpart)$/i
const POWER = /^(?:stop-computer|restart-computer|shutdown|logoff)$/i
const RUNS = /\b(?:iex|invoke-expression)\b/i
const RUNS_INPUT = /\|\s*(?:iex|invoke-expression)\b/i
const FETCHES = /\b(?:iwr|irm|curl|wget|invoke-webrequest|invoke-restmethod|downloadstring)\b/i
const DECODES = /\b(?:frombase64string|webclient)\b/i

/** Downloaded or decoded code that is run: behind a command that runs it, or through a pipe. */
function runsUnseen(text: string): boolean {
  const fetched = text.search(FETCHES)
  if (fetched !== -1 && RUNS_INPUT.test(text.slice(fetched))) return true
  const run = text.search(RUNS)
  const rest = run === -1 ? '' : text.slice(run)
  return FETCHES.test(rest) || DECODES.test(rest)
}

export function judgeWindowsText(context: JudgeContext, text: string, span: Span): void {
  spend(text.length)
  if (runsUnseen(text)) context.deny('unseen-code', reason('shell.unseen-code'), span)
  for (const statement of text.split(/[;\n|&{}]+/).slice(0, 200)) judgeStatement(context, statement, span)
}

function judgeStatement(context: JudgeContext, statement: string, span: Span): void {
  const words = (statement.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) =>
    /^["']./.test(word) && word.endsWith(word[0] as string) ? word.slice(1, -1) : word,
  )
  const redirected = /(?:^|[^0-9=])>{1,2}\s*("[^"]+"|'[^']+'|\S+)/.exec(statement)?.[1]
  const [verb = '', ...rest] = words
  const name = verb.replace(/^.*[\\/]/, '').replace(/\.(?:exe|com)$/i, '')
  const values = rest.filter((word) => !/^-\w/.test(word)).flatMap((word) => word.split(','))
  if (DELETES.test(name) && /(?:^|\s)(?:-r\w*|\/s)\b/i.test(statement)) {
    const tree = values.find((word) => DRIVE.test(word))
    if (tree !== undefined) context.deny('destroy-tree', reason('program.deletes-all', { path: tree }), span)
  }
  if (
    DISKS.test(name) &&
    (name.includes('-') || rest.some((word) => /^[a-z]:/i.test(word)) || /diskpart/i.test(name))
  ) {
    context.deny('disk', reason('program.any-disk', { name }), span)
  }
  if (POWER.test(name) && !rest.some((word) => /^\/[a?]$/i.test(word))) {
    context.deny('power', reason('program.power', { name }), span)
  }
  const targets = [...(WRITES.test(name) ? values : []), ...(redirected === undefined ? [] : [redirected])]
  for (const word of targets.map((target) => target.replaceAll(/^["']|["']$/g, ''))) {
    if (isProtectedFile(word)) context.access('write', literal(word, span))
  }
}

export const powershell: Handler = ({ context, name, args, span }) => {
  context.ask('code', reason('program.runs-commands', { name }), span)
  const encoded = args.find(({ text }) => /^-(?:e|ec|en|enc|encodedcommand)$/i.test(text))
  if (encoded !== undefined) context.deny('unseen-code', reason('shell.encoded-code'), encoded.span)
  const text = args
    .map((field) => field.text)
    .filter((word) => !/^-(?:c|command|noprofile|nop|noninteractive|executionpolicy|ep|file)$/i.test(word))
    .join(' ')
  judgeWindowsText(context, text, span)
  return ANYTHING
}

export const commandPrompt: Handler = ({ context, name, args, span }) => {
  context.ask('code', reason('program.runs-commands', { name }), span)
  const text = args.map((field) => field.text).join(' ')
  judgeWindowsText(context, text.replace(/^(?:\/\w\s+)+/, '').replaceAll(/\\\\/g, '\\'), span)
  return ANYTHING
}
