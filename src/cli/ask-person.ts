/** Shows a request to the user at the terminal, and reads the answer. */

import { printable } from '../lib/text/printable.js'
import { type FormContent, problemsOfForm } from '../protocol/form/form.js'
import { type FormField, formFields, readFormValue } from '../protocol/form/form-field.js'
import { grantText } from '../protocol/policy/grant-text.js'
import type { Answer, InboxRequest } from '../protocol/request.js'
import type { Question } from '../protocol/value.js'
import type { Terminal } from './terminal.js'

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
  const { color, note, ask } = terminal
  note(`\n${color.bold(wholeTitle(request))}\n${color.dim(request.reason)}`)
  if (request.grant) note(color.dim(`For this session: ${printable(grantText(request.grant))}.`))
  for (;;) {
    const key = await ask('[y] allow  [a] allow for this session  [n] deny  [?] show the input: ', signal)
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
  const { color, note, ask } = terminal
  note(`\n${color.bold('Plan ready for review')}\n${printable(plan)}`)
  for (;;) {
    const key = await ask('[y] approve  [e] approve and accept edits  [n] send back: ', signal)
    if (key === null) return null
    if (key === 'y') return { decision: 'allow' }
    if (key === 'e') return { decision: 'allow', mode: 'acceptEdits' }
    if (key === 'n') return askDenial(terminal, signal)
  }
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

async function askOne(
  question: Question,
  { color, note, ask }: Terminal,
  signal: AbortSignal,
): Promise<string | string[] | null> {
  const { options = [], multiSelect } = question
  note(`\n${color.bold(printable(question.question))}`)
  for (const [index, { label, description }] of options.entries()) {
    note(`  ${index + 1}  ${printable(label)}${description ? color.dim(`  ${printable(description)}`) : ''}`)
  }
  const hint = multiSelect ? 'Numbers, comma-separated, or your own text: ' : 'A number, or your own text: '
  for (;;) {
    const line = await ask(hint, signal)
    if (line === null) return null
    if (line !== '') return choiceOf(question, line)
  }
}

/** Numbers choose options; anything else is the answer itself. */
function choiceOf({ options = [], multiSelect }: Question, line: string): string | string[] {
  const picked = line.split(',').map((part) => options[Number(part.trim()) - 1]?.label)
  const labels = picked.filter((label) => label !== undefined)
  if (labels.length < picked.length) return line
  return multiSelect ? labels : (labels[0] ?? line)
}

async function askToVisit(
  { form, title }: InboxRequest,
  url: string,
  { color, note, ask }: Terminal,
  signal: AbortSignal,
): Promise<Answer | null> {
  note(`\n${color.bold(printable(title))}\n${color.dim(`The MCP server ${form?.server} asks you to open:`)}`)
  note(printable(url))
  for (;;) {
    const key = await ask('[y] done  [n] decline: ', signal)
    if (key === null) return null
    if (key === 'y') return { action: 'accept' }
    if (key === 'n') return { action: 'decline' }
  }
}

async function askForm(
  { title, reason }: InboxRequest,
  form: NonNullable<InboxRequest['form']>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Answer | null> {
  const { color, note, ask } = terminal
  note(`\n${color.bold(printable(title))}\n${color.dim(printable(reason))}`)
  for (;;) {
    const key = await ask('[y] fill it in  [n] decline: ', signal)
    if (key === null) return null
    if (key === 'n') return { action: 'decline' }
    if (key !== 'y') continue
    const content: FormContent = {}
    for (const field of formFields(form)) {
      const line = await ask(promptFor(field), signal)
      if (line === null) return null
      const value = line === '' ? field.initial : readFormValue(field, line)
      if (value !== null) content[field.name] = value
    }
    const problems = problemsOfForm(form, content)
    if (problems.length === 0) return { action: 'accept', content }
    for (const problem of problems) note(printable(problem))
  }
}

function promptFor({ title, description, kind, choices, isRequired, initial }: FormField): string {
  const options = choices.length > 0 ? ` (${choices.map((choice) => choice.title).join(', ')})` : ''
  const hint = kind === 'boolean' ? ' (yes, no)' : kind === 'choices' ? ', comma-separated' : ''
  const empty = initial === null ? (isRequired ? '' : ', optional') : `, Enter for ${String(initial)}`
  return printable(`  ${title}${description === null ? '' : ` – ${description}`}${options}${hint}${empty}: `)
}
