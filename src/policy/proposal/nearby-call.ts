/**
 * Calls that are close to a call: with another operand, another flag, recursive, forced, outside the workspace, beside
 * another command. They are judged by the real policy, to show what a proposed rule would and would not allow.
 */

import { asRecord, asText } from '../../lib/read-json.js'
import type { NearbyKind } from '../../protocol/policy/policy-body.js'
import type { PolicyCall } from '../call.js'
import { judgeCall } from '../evaluate.js'
import { EDIT_TOOLS, SHELL_TOOLS } from '../tool/judge-tool.js'
import { askedCommands } from './asked-command.js'

export interface NearbyCall {
  kind: NearbyKind
  input: unknown
  /** As a user reads it: the command, or the path. */
  title: string
}

const MAX_CALLS = 40
const MAX_COMMANDS = 5

export function nearbyCalls(call: PolicyCall): NearbyCall[] {
  const found = SHELL_TOOLS.has(call.tool) ? nearbyCommands(call) : nearbyInputs(call)
  const own = SHELL_TOOLS.has(call.tool) ? asText(asRecord(call.input)['command']) : null
  const titles = new Set<string>(own === null ? [] : [own.trim()])
  return found.filter(({ title }) => !titles.has(title) && titles.add(title)).slice(0, MAX_CALLS)
}

function nearbyCommands(call: PolicyCall): NearbyCall[] {
  const asked = askedCommands(judgeCall(call)).slice(0, MAX_COMMANDS)
  const input = asRecord(call.input)
  const shown = (kind: NearbyKind, title: string): NearbyCall => ({
    kind,
    input: { ...input, command: title },
    title,
  })
  return asked.flatMap(({ words }) => [
    // A part of a longer text is another call.
    shown('part', textOf(words)),
    ...variantsOf(words).map(([kind, variant]) => shown(kind, textOf(variant))),
    shown('beside', `${textOf(words)} && curl https://example.com`),
    shown('folder', `cd .. && ${textOf(words)}`),
  ])
}

/** The words with one change. */
function variantsOf(words: readonly string[]): [NearbyKind, string[]][] {
  const [program = '', ...rest] = words
  const last = rest.findLastIndex((word) => !word.startsWith('-'))
  const operand = (kind: NearbyKind, other: string): [NearbyKind, string[]][] =>
    last === -1 ? [[kind, [...words, other]]] : [[kind, [program, ...rest.with(last, other)]]]
  const flag = rest.findIndex((word) => word.startsWith('-'))
  return [
    ...operand('operand', 'other'),
    ...operand('operand', 'src'),
    ['more', [...words, 'other']],
    ...operand('outside', '../other'),
    ...operand('outside', '/etc/hosts'),
    ...operand('protected', '.env'),
    ['flag', [...words, '--all']],
    ['recursive', [program, ...verbOf(rest), '-r', ...rest.slice(verbOf(rest).length)]],
    ['force', [program, ...verbOf(rest), '--force', ...rest.slice(verbOf(rest).length)]],
    ...(flag === -1
      ? []
      : [['less', [program, ...rest.toSpliced(flag, 1)]] satisfies [NearbyKind, string[]]]),
    ...(rest.length === 0 ? [] : [['less', [program]] satisfies [NearbyKind, string[]]]),
  ]
}

/** `git push`: an option belongs behind the verb. */
function verbOf(rest: readonly string[]): readonly string[] {
  return /^[a-z][a-z-]*$/.test(rest[0] ?? '') && rest.length > 1 ? rest.slice(0, 1) : []
}

function textOf(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ')
}

/** For tools other than a shell: the same tool on other files, or with another input. */
function nearbyInputs(call: PolicyCall): NearbyCall[] {
  const input = asRecord(call.input)
  const field = PATH_FIELDS.find((name) => typeof input[name] === 'string')
  const isFileTool = EDIT_TOOLS.has(call.tool) || call.tool === 'Read'
  if (!isFileTool || field === undefined)
    return [{ kind: 'input', input: {}, title: `${call.tool}, with any other input` }]
  const path = String(input[field])
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const others: [NearbyKind, string][] = [
    ['operand', `${folder}other.txt`],
    ['operand', `${folder}inner/other.txt`],
    ['operand', `${call.cwd}/elsewhere/other.txt`],
    ['protected', `${folder}.env`],
    ['outside', `${call.cwd}/../other.txt`],
    ['outside', '/etc/hosts'],
  ]
  return others.map(([kind, other]) => ({ kind, input: { ...input, [field]: other }, title: other }))
}

const PATH_FIELDS = ['file_path', 'notebook_path', 'path']
