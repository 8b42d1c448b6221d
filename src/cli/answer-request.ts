/** Asks the person at the terminal for the answer to a request, unless somebody else is quicker. */

import type { Client } from '../client/client.js'
import { HubError } from '../protocol/error.js'
import type { EventOf } from '../protocol/event.js'
import type { Answer } from '../protocol/request.js'
import type { Question } from '../protocol/value.js'
import type { Terminal } from './terminal.js'

type Asked = EventOf<'permission.requested'> | EventOf<'question.requested'>

/** Returns at once; aborting it takes the question back. */
export function answerRequest(client: Client, event: Asked, terminal: Terminal): AbortController {
  const taken = new AbortController()
  const { requestId: id } = event.data
  if (!terminal.isInteractive) {
    terminal.note(
      `Waiting for an answer to ${id}: answer it in the dashboard or with "signalbox allow ${id}".`,
    )
    return taken
  }
  const asked =
    event.type === 'permission.requested'
      ? askPermission(event, terminal, taken.signal)
      : askQuestions(event, terminal, taken.signal)
  asked
    .then((body) => client.answerRequest({ params: { id }, body }))
    .catch((error: unknown) => {
      // Somebody else has answered, or the turn was interrupted: the events tell.
      if (taken.signal.aborted || (error instanceof HubError && error.code === 'request_already_resolved'))
        return
      terminal.note(error instanceof Error ? error.message : String(error))
    })
  return taken
}

async function askPermission(
  { data }: EventOf<'permission.requested'>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Answer> {
  const { color, note, ask } = terminal
  note(`\n${color.bold(data.title)}\n${color.dim(data.reason)}`)
  for (;;) {
    const key = await ask('[y] allow  [a] allow all of these  [n] deny  [?] show the whole call: ', signal)
    if (key === 'y') return { decision: 'allow' }
    if (key === 'a') return { decision: 'allowAll' }
    if (key === '?') note(JSON.stringify(data.input, null, 2))
    if (key !== 'n') continue
    const message = await ask('Tell the agent why (or just Enter): ', signal)
    return { decision: 'deny', ...(message !== '' && { message }) }
  }
}

async function askQuestions(
  { data }: EventOf<'question.requested'>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Answer> {
  const answers: Record<string, string | string[]> = {}
  for (const question of data.questions) answers[question.question] = await askOne(question, terminal, signal)
  return { answers }
}

async function askOne(
  question: Question,
  { color, note, ask }: Terminal,
  signal: AbortSignal,
): Promise<string | string[]> {
  const { options = [], multiSelect } = question
  note(`\n${color.bold(question.question)}`)
  for (const [index, option] of options.entries()) {
    note(`  ${index + 1}  ${option.label}${option.description ? color.dim(`  ${option.description}`) : ''}`)
  }
  const hint = multiSelect ? 'Numbers with commas, or your own words: ' : 'A number, or your own words: '
  for (;;) {
    const line = await ask(hint, signal)
    if (line === '') continue
    const picked = line.split(',').map((part) => options[Number(part.trim()) - 1]?.label)
    const labels = picked.filter((label) => label !== undefined)
    if (labels.length < picked.length) return line
    return multiSelect ? labels : (labels[0] ?? line)
  }
}
