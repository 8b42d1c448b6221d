/** Redirections: files and streams that the shell opens for a command. */

import type { Redirection } from 'unbash'
import { reason } from '../../protocol/reason/reason.js'
import { UNKNOWN } from '../file/path.js'
import { type Field, type Stream, Taint } from './field.js'
import type { ShellContext } from './shell-context.js'
import { ANYTHING, NOTHING, textStream } from './stream.js'
import { expandText, expandWord } from './word/expand.js'

export interface Output {
  field: Field
  /** Whether it receives standard output, or only standard error. */
  takesStdout: boolean
  /** A connection that was opened before, by its descriptor. */
  connection: Stream | null
}

export interface Redirections {
  /** Undefined: not redirected. */
  stdin: Stream | undefined
  outputs: Output[]
}

export function readRedirections(context: ShellContext, redirects: readonly Redirection[]): Redirections {
  const found: Redirections = { stdin: undefined, outputs: [] }
  for (const redirect of redirects) readRedirection(context, redirect, found)
  return found
}

function readRedirection(context: ShellContext, redirect: Redirection, found: Redirections): void {
  context.spend()
  const number = numberOf(redirect)
  if (redirect.descriptor?.type === 'FileDescriptorVariable') {
    context.ask(
      'environment',
      reason('shell.sets', { name: redirect.descriptor.name }),
      context.span(redirect),
    )
  }
  if (redirect.type === 'HereDoc') {
    const { body, delimiter } = redirect
    if (!PLAIN_DELIMITER.test(delimiter?.text ?? ''))
      context.ask('unreadable', reason('shell.here-document'), context.span(redirect))
    const text = body.parts === undefined ? null : expandText(context, body.parts, context.span(body))
    const content = text === null ? textStream(plainBody(redirect)) : streamOf(text)
    if (number === null || number === 0) found.stdin = content
    return
  }
  if (redirect.target === undefined) {
    context.ask('unreadable', reason('shell.redirect-nowhere'), context.span(redirect))
    return
  }
  if (redirect.type === 'HereString') {
    const [text] = expandWord(context, redirect.target, 'whole')
    if (text !== undefined && (number === null || number === 0)) {
      found.stdin = streamOf({ ...text, text: `${text.text}\n` })
    }
    return
  }
  for (const field of expandWord(context, redirect.target, 'split')) {
    readFile(context, redirect.operator, number, field, found)
  }
}

/** Shells disagree about delimiters with unusual quoting. */
const PLAIN_DELIMITER = /^\\?[\w.!@%+-]+$|^'[^'\n]+'$|^"[^"\n$`\\]+"$/

function plainBody(redirect: Extract<Redirection, { type: 'HereDoc' }>): string {
  return redirect.operator === '<<-' ? redirect.body.text.replaceAll(/^\t+/gm, '') : redirect.body.text
}

function numberOf({ descriptor }: Redirection): number | null {
  return descriptor?.type === 'FileDescriptor' ? descriptor.value : null
}

function streamOf({ text, taint }: Field): Stream {
  return text.includes(UNKNOWN) ? { text: null, taint, names: null } : textStream(text, taint)
}

function readFile(
  context: ShellContext,
  operator: string,
  number: number | null,
  field: Field,
  found: Redirections,
): void {
  const isInput = operator === '<' || operator === '<&'
  if (operator === '>&' || operator === '<&') {
    if (field.text === '-') return
    if (/^\d+-?$/.test(field.text)) {
      const connection = context.state.descriptors.get(Number.parseInt(field.text, 10)) ?? null
      const to = number ?? (isInput ? 0 : 1)
      if (to === 0) found.stdin = connection ?? (field.text === '0' ? (context.stdin ?? undefined) : ANYTHING)
      else if (connection !== null) found.outputs.push({ field, takesStdout: to === 1, connection })
      return
    }
  }
  if (isInput) {
    context.access('read', field)
    const content = context.contentOf(field)
    if (number === null || number === 0) found.stdin = content
    else context.state.descriptors.set(number, content)
    return
  }
  if (operator === '<>') {
    context.access('read', field)
    if (number !== null && number > 2) context.state.descriptors.set(number, context.contentOf(field))
    else found.stdin = context.contentOf(field)
  }
  const takesStdout = number === null || number === 1 || operator.startsWith('&')
  found.outputs.push({ field, takesStdout, connection: null })
}

/** Writes the output to its targets; the rest goes to the next command of the pipe. */
export function deliver(context: ShellContext, out: Stream, outputs: readonly Output[]): Stream {
  let rest = out
  for (const { field, takesStdout, connection } of outputs) {
    const content = takesStdout ? out : { ...NOTHING, taint: out.taint & Taint.shell }
    if (connection !== null) {
      if (connection.taint & Taint.network && out.taint & (Taint.shell | Taint.secret)) {
        const rule = out.taint & Taint.secret ? 'protected-copy' : 'reverse-shell'
        context.deny(rule, reason('shell.connected'), field.span)
      }
    } else if (field.stream === null) {
      context.access('write', field, { content })
    } else if (content.taint & Taint.unseen && field.stream.taint & Taint.shell) {
      context.deny('unseen-code', reason('shell.unseen-code'), field.span)
    } else if (out.taint & Taint.secret) {
      context.ask('protected-read', reason('shell.passes-secret'), field.span)
    }
    const isKept = /^\/dev\/(?:stdout|tty|fd\/1)$/.test(field.text)
    if (takesStdout && !isKept) rest = NOTHING
  }
  return rest
}
