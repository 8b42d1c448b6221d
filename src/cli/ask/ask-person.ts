/** Shows a request to the user at the terminal, and reads the answer. */

import { printable } from '../../lib/text/printable.js'
import type { FormValue } from '../../protocol/form/form.js'
import { type FormField, formFields } from '../../protocol/form/form-field.js'
import { grantText } from '../../protocol/policy/grant-text.js'
import type { Answer, InboxRequest } from '../../protocol/request.js'
import type { Question } from '../../protocol/value.js'
import { findingText } from '../list/request-text.js'
import { markdownText } from '../output/markdown.js'
import type { Terminal } from '../output/terminal.js'
import { fillField } from './fill-field.js'
import { readChosen } from './read-choice.js'
import { fieldLabel } from './read-field.js'

/** Null: no user can answer here. */
export function askPerson(
  request: InboxRequest,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Answer | null> {
  if (request.form?.url !== undefined) return askToVisit(request, request.form.url, terminal, signal)
  if (request.form) return askForm(request, request.form, terminal, signal)
  if (request.kind === 'question') return askQuestions(request, terminal, signal)
  if (request.plan !== null) return askPlan(request.plan, terminal, signal)
  return askPermission(request, terminal, signal)
}

async function askPermission(
  request: InboxRequest,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Answer | null> {
  const { color, note } = terminal
  note(`\n${color.bold(wholeTitle(request))}\n${color.dim(findingText(request))}`)
  if (request.grant) note(color.dim(`For this session: ${printable(grantText(request.grant))}.`))
  for (;;) {
    const question = '[y] allow  [a] allow for this session  [n] deny  [?] show the input: '
    const key = await terminal.key(question, ['y', 'a', 'n', '?'], signal)
    if (key === null) return null
    if (key === 'y') return { decision: 'allow' }
    if (key === 'a') return { decision: 'allowAll' }
    if (key === '?') note(printable(JSON.stringify(request.input, null, 2)))
    if (key === 'n') return askDenial(terminal, signal)
  }
}

async function askDenial({ ask }: Terminal, signal: AbortSignal): Promise<Answer> {
  const message = await ask('Reason, sent to the agent (Enter for none): ', signal)
  return { decision: 'deny', ...(message && { message }) }
}

/** A command is shown as it is, to its end: what is allowed must have been seen. */
function wholeTitle({ title, toolName, input }: InboxRequest): string {
  const isCommand =
    typeof input === 'object' && input !== null && 'command' in input && typeof input.command === 'string'
  return isCommand ? `${toolName}: ${printable(String(input.command))}` : title
}

async function askPlan(plan: string, terminal: Terminal, signal: AbortSignal): Promise<Answer | null> {
  const { color, note } = terminal
  note(`\n${color.bold('Plan ready for review')}\n${markdownText(plan, terminal.columns)}`)
  const question = '[y] approve  [e] approve and accept edits  [n] send back: '
  const key = await terminal.key(question, ['y', 'e', 'n'], signal)
  if (key === null) return null
  if (key === 'n') return askDenial(terminal, signal)
  return key === 'y' ? { decision: 'allow' } : { decision: 'allow', mode: 'acceptEdits' }
}

async function askQuestions(
  { questions }: InboxRequest,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Answer | null> {
  const answers: Record<string, string | string[]> = {}
  for (const question of questions) {
    const answer = await askOne(question, terminal, signal)
    if (answer === null) return null
    answers[question.question] = answer
  }
  return { answers }
}

/** More options than digits, or several answers, need a line. */
const MAX_KEYS = 9

async function askOne(
  question: Question,
  { color, note, ask, key }: Terminal,
  signal: AbortSignal,
): Promise<string | string[] | null> {
  const { options = [], multiSelect } = question
  note(`\n${color.bold(printable(question.question))}`)
  for (const [index, { label, description }] of options.entries()) {
    note(`  ${index + 1}  ${printable(label)}${description ? color.dim(`  ${printable(description)}`) : ''}`)
  }
  if (!multiSelect && options.length > 0 && options.length <= MAX_KEYS) {
    const digits = options.map((_, index) => String(index + 1))
    const chosen = await key(
      `[${digits.length === 1 ? '1' : `1-${digits.length}`}] choose  [t] type an answer: `,
      [...digits, 't'],
      signal,
    )
    if (chosen !== 't') return chosen && readChosen(question, chosen)
  }
  const hint = multiSelect ? 'Numbers, comma-separated, or your own text: ' : 'Your answer: '
  for (;;) {
    const line = await ask(hint, signal)
    if (line === null) return null
    if (line === '') continue
    try {
      return readChosen(question, line)
    } catch (error) {
      note(color.red(printable(error instanceof Error ? error.message : String(error))))
    }
  }
}

async function askToVisit(
  { form, title }: InboxRequest,
  url: string,
  { color, note, key: askKey }: Terminal,
  signal: AbortSignal,
): Promise<Answer | null> {
  note(`\n${color.bold(printable(title))}\n${color.dim(`The MCP server ${form?.server} asks you to open:`)}`)
  note(printable(url))
  const key = await askKey('[y] done  [n] decline: ', ['y', 'n'], signal)
  if (key === null) return null
  return { action: key === 'y' ? 'accept' : 'decline' }
}

async function askForm(
  { title, reason }: InboxRequest,
  form: NonNullable<InboxRequest['form']>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Answer | null> {
  const { color, note } = terminal
  note(`\n${color.bold(printable(title))}\n${color.dim(printable(reason))}`)
  const key = await terminal.key('[y] fill it in  [n] decline: ', ['y', 'n'], signal)
  if (key === null) return null
  if (key === 'n') return { action: 'decline' }
  const content: [string, FormValue][] = []
  for (const field of formFields(form)) {
    const value = await askField(field, terminal, signal)
    if (value === undefined) return null
    if (value !== null) content.push([field.name, value])
  }
  return { action: 'accept', content: Object.fromEntries(content) }
}

/** Asks again until the value is right. Undefined at the end of the input. */
async function askField(
  field: FormField,
  { ask, note, color }: Terminal,
  signal: AbortSignal,
): Promise<FormValue | null | undefined> {
  const { description, choices } = field
  if (description !== null) note(color.dim(`  ${printable(description)}`))
  for (const [index, { title }] of choices.entries()) note(`  ${index + 1}  ${printable(title)}`)
  for (;;) {
    const line = await ask(`  ${printable(fieldLabel(field))}`, signal)
    if (line === null) return undefined
    const { value, problem } = fillField(field, line)
    if (problem === null) return value
    note(color.red(printable(problem)))
  }
}
