/** `awk`: its program is read for what writes files, runs commands, reads other files or shows the environment. */

import { UNKNOWN } from '../path.js'
import { type Field, literal, Taint } from '../shell/field.js'
import { applyRole, type Call, type Handler, inputOf } from './handler.js'
import { optionTable, readArguments } from './option.js'

const TABLE = optionTable(
  `+stop -F: -v: -e: -f:read -i:ask -l:ask -E:read -bcCdDghIkLMnNoOpPrsStVW --field-separator: --assign: --source:
  --file:read --exec:read --include:ask --load:ask --re-interval --posix --traditional --lint? --characters-as-bytes
  --version --help --sandbox --non-decimal-data`,
)

export const awk: Handler = (call) => {
  const { reader, args, span } = call
  const given = readArguments(TABLE, args)
  for (const field of given.unknown) applyRole(call, 'ask', field)
  for (const { role, value } of given.options)
    if (role === 'ask' && value !== null) applyRole(call, 'ask', value)
  if (given.has('d', 'D', 'g', 'I', 'o', 'p', 'W', 'L'))
    applyRole(call, 'ask', given.options[0]?.field ?? literal('', span))
  const isHidden = given.has('f', 'file', 'E', 'exec')
  if (isHidden) reader.ask('code', 'The program of awk is in a file.', span)
  const sources = given.options
    .filter(({ name }) => name === 'e' || name === 'source')
    .flatMap(({ value }) => value ?? [])
  const [first, ...rest] = given.operands
  const programs = isHidden || sources.length > 0 ? sources : first === undefined ? [] : [first]
  const files = (isHidden || sources.length > 0 ? given.operands : rest).filter(
    ({ text }) => !/^[A-Za-z_]\w*=/.test(text),
  )
  const isInPlace = given.options.some(({ value }) => value?.text === 'inplace')
  for (const file of files) reader.access(isInPlace ? 'write' : 'read', file)
  const input = inputOf(call, files)
  for (const program of programs) judgeProgram(call, program, input.taint)
  return { ...input, text: null }
}

function judgeProgram(call: Call, program: Field, taint: number): void {
  const { reader } = call
  if (program.text.includes(UNKNOWN) || program.pattern !== null) {
    reader.ask('unknown-value', 'The program of awk is not known before it runs.', program.span)
  }
  const found = readAwkProgram(program.text)
  const at = (text: string) => literal(text, program.span)
  for (const { kind, text } of found) {
    switch (kind) {
      case 'write':
        reader.access('write', at(text ?? UNKNOWN), { content: { text: null, taint, names: null } })
        break
      case 'read':
        reader.access('read', at(text ?? UNKNOWN))
        break
      case 'run':
        applyRole(call, 'shell', at(text ?? UNKNOWN))
        break
      case 'environment':
        reader.ask(
          'secret-variable',
          'The program of awk reads the environment or its own arguments.',
          program.span,
        )
        break
      case 'other':
        reader.ask('code', 'The program of awk does more than print.', program.span)
        break
    }
  }
  if (/\/inet[46]?\/(?:tcp|udp)\//.test(program.text)) {
    const hasShell = found.some(({ kind }) => kind === 'run') || /\|&/.test(program.text)
    if (hasShell)
      reader.deny('reverse-shell', 'The program of awk connects a shell to another machine.', program.span)
    else reader.ask('network', 'The program of awk opens a connection.', program.span)
  }
  if (program.taint & Taint.unseen)
    reader.deny('unseen-code', 'It runs a program that nobody has seen.', program.span)
}

export interface AwkDeed {
  kind: 'write' | 'read' | 'run' | 'environment' | 'other'
  /** The file or command, where it stands in the program as it is. */
  text: string | null
}

interface Token {
  kind: 'word' | 'string' | 'mark'
  text: string
}

function readAwkProgram(program: string): AwkDeed[] {
  const tokens = tokenise(program)
  if (tokens === null) return [{ kind: 'other', text: null }]
  const deeds: AwkDeed[] = []
  let depth = 0
  let printing: number | null = null
  tokens.forEach((token, index) => {
    const next = tokens[index + 1]
    const literalAt = (at: number) => {
      const candidate = tokens[at]
      return candidate?.kind === 'string' && !isJoined(tokens[at + 1]) ? candidate.text : null
    }
    if (token.kind === 'word') {
      if (token.text === 'print' || token.text === 'printf') printing = depth
      if (token.text === 'system')
        deeds.push({ kind: 'run', text: next?.text === '(' ? literalAt(index + 2) : null })
      if (token.text === 'getline') {
        const from = tokens.findIndex(
          (candidate, at) => at > index && at < index + 4 && candidate.text === '<',
        )
        deeds.push(from === -1 ? { kind: 'other', text: null } : { kind: 'read', text: literalAt(from + 1) })
      }
      if (/^(?:ENVIRON|ARGV|ARGC|PROCINFO|SYMTAB|FUNCTAB)$/.test(token.text))
        deeds.push({ kind: 'environment', text: null })
    }
    if (token.kind !== 'mark') return
    if (token.text === '(') depth++
    if (token.text === ')') depth--
    if (/^[;}\n{]$/.test(token.text)) printing = null
    if (/^>>?$/.test(token.text) && printing === depth)
      deeds.push({ kind: 'write', text: literalAt(index + 1) })
    if (token.text === '|' || token.text === '|&') {
      const command = next?.text === 'getline' ? tokens[index - 1] : next
      deeds.push({ kind: 'run', text: command?.kind === 'string' ? command.text : null })
    }
    if (token.text === '@') deeds.push({ kind: 'other', text: null })
  })
  return deeds
}

/** Whether more text is joined to what stands before. */
function isJoined(next: Token | undefined): boolean {
  return next !== undefined && (next.kind !== 'mark' || next.text === '$' || next.text === '(')
}

const PIECE = /\s*?(\n|#[^\n]*|"(?:[^"\\]|\\[^])*"|[A-Za-z_]\w*|\d[\w.]*|\|\||&&|\|&|>>|[<>=!]=|\+\+|--|[^])/y

function tokenise(program: string): Token[] | null {
  const tokens: Token[] = []
  let at = 0
  while (at < program.length) {
    if (tokens.length > 5000) return null
    if (program[at] === '/' && mayStartPattern(tokens.at(-1))) {
      const end = endOfPattern(program, at + 1)
      if (end === null) return null
      tokens.push({ kind: 'string', text: '' })
      at = end
      continue
    }
    PIECE.lastIndex = at
    const piece = PIECE.exec(program)
    if (piece === null) return null
    at = PIECE.lastIndex
    const text = piece[1] ?? ''
    if (/^[ \t\r]$|^#/.test(text)) continue
    if (text.startsWith('"')) {
      if (text.length < 2) return null
      tokens.push({ kind: 'string', text: text.slice(1, -1).replaceAll(/\\(["\\/])/g, '$1') })
    } else if (/^[A-Za-z_]/.test(text)) tokens.push({ kind: 'word', text })
    else if (/^\d/.test(text)) tokens.push({ kind: 'word', text: '0' })
    else tokens.push({ kind: 'mark', text })
  }
  return tokens
}

/** After a value a slash divides. */
function mayStartPattern(before: Token | undefined): boolean {
  if (before === undefined) return true
  if (before.kind === 'string') return false
  if (before.kind === 'word') return /^(?:print|printf|return|in|if|while|case)$/.test(before.text)
  return !/^[)\]$]$/.test(before.text)
}

function endOfPattern(program: string, start: number): number | null {
  let inBrackets = false
  for (let at = start; at < program.length; at++) {
    const character = program[at]
    if (character === '\\') at++
    else if (character === '\n') return null
    else if (character === '[') inBrackets = true
    else if (character === ']') inBrackets = false
    else if (character === '/' && !inBrackets) return at + 1
  }
  return null
}
