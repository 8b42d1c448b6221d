/** Interpreters of other languages: their code is in a file, on the command line, or comes through a pipe. */

import { ownEntry } from '../../../lib/own-entry.js'
import { reason } from '../../../protocol/reason/reason.js'
import { isKnown, withoutEnd } from '../../file/path.js'
import { type Field, literal, type Stream, Taint } from '../../shell/field.js'
import { ANYTHING } from '../../shell/stream.js'
import { applyRole, type Call, type Handler } from '../handler.js'
import { type OptionTable, optionTable, readArguments } from '../option.js'
import { judgeCode } from './code.js'

interface Interpreter {
  options: string
  /** Options whose value is code. */
  code: readonly string[]
  /** Options after which standard input is not code: a module or a check. */
  instead?: readonly string[]
  /** Options that change their files in place. */
  inPlace?: readonly string[]
}

const PYTHON: Interpreter = {
  options: '+stop -bBdEhiIOPqsSuvVx? -c: -m: -W: -X: --version --help --check-hash-based-pycs:',
  code: ['c'],
  instead: ['m', 'V', 'version', 'h', 'help'],
}
const NODE: Interpreter = {
  options: `+stop -hviC: -c -e: -p: -pe: -r:read --eval: --print: --require:read --import:read --check --version --help
    --loader:read --experimental-loader:read --env-file:read --env-file-if-exists:read --inspect? --inspect-brk?
    --input-type: --test --watch --watch-path: --run: --conditions: --title: --stack-trace-limit: -`,
  code: ['e', 'p', 'eval', 'print'],
  instead: ['v', 'version', 'h', 'help', 'test', 'run'],
}
const PERL: Interpreter = {
  options: '+stop -acfhlnpsStTuUvVwWX -e: -E: -i? -I: -m: -M: -F: -0? -C? -D? -x?',
  code: ['e', 'E'],
  instead: ['v', 'V', 'h'],
  inPlace: ['i'],
}
const RUBY: Interpreter = {
  options:
    '+stop -aclnpsSUvwWyh -e: -i? -I: -r: -C: -E: -F: -K: -x? -0? -T? --version --help --disable: --enable: --encoding:',
  code: ['e'],
  instead: ['v', 'version', 'h', 'help'],
  inPlace: ['i'],
}
const PHP: Interpreter = {
  options:
    '+stop -aeilmnsvwzHq -r: -R: -B: -E: -F:read -f:read -c: -d: -S:ask -t: --run: --file:read --version --help --ini',
  code: ['r', 'R', 'B', 'E', 'run'],
  instead: ['f', 'file', 'v', 'version', 'i', 'm', 'S'],
}
const LUA: Interpreter = { options: '+stop -iEvW -e: -l:', code: ['e'], instead: ['v'] }
const OTHER: Interpreter = {
  options: '+stop -e: -c: -E: --eval: --expression: -eval: -ex: -batch -Q',
  code: ['e', 'c', 'E', 'eval', 'expression'],
}

const TABLE: Readonly<Record<string, Interpreter>> = {
  python: PYTHON,
  pypy: PYTHON,
  ipython: PYTHON,
  node: NODE,
  nodejs: NODE,
  'ts-node': NODE,
  tsx: NODE,
  bun: NODE,
  perl: PERL,
  ruby: RUBY,
  irb: RUBY,
  jruby: RUBY,
  php: PHP,
  lua: LUA,
  luajit: LUA,
  deno: { options: '+stop -A -r -q', code: [] },
  Rscript: OTHER,
  R: OTHER,
  julia: OTHER,
  groovy: OTHER,
  scala: OTHER,
  clojure: OTHER,
  bb: OTHER,
  elixir: OTHER,
  erl: OTHER,
  ghc: OTHER,
  runghc: OTHER,
  guile: OTHER,
  racket: OTHER,
  sbcl: OTHER,
  swift: OTHER,
  kotlin: OTHER,
  octave: OTHER,
  emacs: OTHER,
  wish: OTHER,
}

/** Strips the version from names such as `python3.12`, `perl5.36` and `lua5.4`. */
export function interpreter(name: string): Handler | null {
  const found = ownEntry(TABLE, name) ?? ownEntry(TABLE, withoutEnd(name, '0123456789.'))
  if (found === undefined || /^R\d/.test(name)) return null
  let table: OptionTable | null = null
  return (call) => {
    table ??= optionTable(found.options)
    return judge(call, found, table)
  }
}

function judge(call: Call, { code, instead = [], inPlace = [] }: Interpreter, table: OptionTable): Stream {
  const { context, name, span, args } = call
  const given = readArguments(table, args)
  context.ask('code', reason('program.runs-code', { name }), span)
  for (const { role, value } of given.options) {
    if (value !== null && role !== 'text') applyRole(call, role, value)
  }
  const texts = given.options
    .filter((option) => code.includes(option.name))
    .flatMap(({ value }) => value ?? [])
  for (const text of texts) judgeText(call, text)
  if (given.has(...inPlace)) for (const file of given.operands) context.access('write', file)
  if (texts.length > 0) return filtered(call, given.operands)
  const [script] = given.operands
  if (script !== undefined && script.text !== '-') {
    context.access('read', script)
    judgeStream(call, context.contentOf(script), script)
    return ANYTHING
  }
  if (given.has(...instead) || context.stdin === null) return ANYTHING
  context.ask('code', reason('program.runs-input', { name }), span)
  judgeStream(call, context.stdin, literal('', span))
  return ANYTHING
}

function judgeText(call: Call, text: Field): void {
  if (text.taint & Taint.unseen) {
    call.context.deny('unseen-code', reason('shell.unseen-code'), text.span)
  }
  if (isKnown(text.text)) judgeCode(call, text)
}

function judgeStream(call: Call, stream: Stream, at: Field): void {
  if (stream.taint & Taint.unseen) {
    call.context.deny('unseen-code', reason('shell.unseen-code'), at.span)
  }
  if (stream.text !== null) judgeCode(call, { ...at, text: stream.text })
}

/** With code on the command line, the operands and the input of the pipe are data. */
function filtered({ context }: Call, operands: readonly Field[]): Stream {
  const taint = operands.reduce(
    (sum, field) => sum | context.contentOf(field).taint,
    context.stdin?.taint ?? 0,
  )
  return { text: null, taint, names: null }
}
