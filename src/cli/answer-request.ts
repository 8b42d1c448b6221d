/** Asks the person at the terminal for the answers to requests, one after the other, unless somebody else is quicker. */

import type { Client } from '../client/client.js'
import { printable } from '../lib/printable.js'
import { HubError } from '../protocol/error.js'
import type { EventOf } from '../protocol/event.js'
import type { Answer } from '../protocol/request.js'
import type { Question } from '../protocol/value.js'
import type { Terminal } from './terminal.js'

type Asked = EventOf<'permission.requested'> | EventOf<'question.requested'>

/** What waits for the person here. Only one is asked at a time: a key must never answer two. */
export class Asker {
  readonly #client: Client
  readonly #terminal: Terminal
  readonly #waiting = new Map<string, Asked>()
  #current: { id: string; taken: AbortController } | null = null

  constructor(client: Client, terminal: Terminal) {
    this.#client = client
    this.#terminal = terminal
  }

  add(event: Asked): void {
    const { requestId: id } = event.data
    if (!this.#terminal.isInteractive) {
      this.#terminal.note(
        `Waiting for an answer to ${id}: answer it in the dashboard or with "signalbox allow ${id}".`,
      )
      return
    }
    this.#waiting.set(id, event)
    this.#next()
  }

  /** Somebody has answered it, or nobody needs the answer any more. */
  settle(id: string): void {
    this.#waiting.delete(id)
    if (this.#current?.id === id) this.#current.taken.abort()
  }

  close(): void {
    this.#waiting.clear()
    this.#current?.taken.abort()
  }

  #next(): void {
    const [event] = this.#waiting.values()
    if (!event || this.#current) return
    const current = { id: event.data.requestId, taken: new AbortController() }
    this.#current = current
    this.#ask(event, current.taken.signal)
      .catch((error: unknown) => {
        // Somebody else has answered, or the turn was interrupted: the events tell.
        if (current.taken.signal.aborted || isAnswered(error)) return
        this.#terminal.note(error instanceof Error ? error.message : String(error))
      })
      .finally(() => {
        this.#waiting.delete(current.id)
        this.#current = null
        this.#next()
      })
  }

  async #ask(event: Asked, signal: AbortSignal): Promise<void> {
    const body =
      event.type === 'permission.requested'
        ? await askPermission(event, this.#terminal, signal)
        : await askQuestions(event, this.#terminal, signal)
    if (body) await this.#client.answerRequest({ params: { id: event.data.requestId }, body })
    else
      this.#terminal.note(
        `There is no more input. ${event.data.requestId} goes on waiting for an answer elsewhere.`,
      )
  }
}

function isAnswered(error: unknown): boolean {
  return error instanceof HubError && error.code === 'request_already_resolved'
}

/** Null: there is nobody to answer. */
async function askPermission(
  { data }: EventOf<'permission.requested'>,
  { color, note, ask }: Terminal,
  signal: AbortSignal,
): Promise<Answer | null> {
  note(`\n${color.bold(wholeTitle(data))}\n${color.dim(data.reason)}`)
  for (;;) {
    const key = await ask('[y] allow  [a] allow all of these  [n] deny  [?] show the whole call: ', signal)
    if (key === null) return null
    if (key === 'y') return { decision: 'allow' }
    if (key === 'a') return { decision: 'allowAll' }
    if (key === '?') note(printable(JSON.stringify(data.input, null, 2)))
    if (key !== 'n') continue
    const message = await ask('Tell the agent why (or just Enter): ', signal)
    return { decision: 'deny', ...(message && { message }) }
  }
}

/** A command is shown as it is, to its end: what is allowed must have been seen. */
function wholeTitle({ title, toolName, input }: EventOf<'permission.requested'>['data']): string {
  const isCommand =
    typeof input === 'object' && input !== null && 'command' in input && typeof input.command === 'string'
  return isCommand ? `${toolName}: ${printable(String(input.command))}` : title
}

async function askQuestions(
  { data }: EventOf<'question.requested'>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Answer | null> {
  const answers: Record<string, string | string[]> = {}
  for (const question of data.questions) {
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
  const hint = multiSelect ? 'Numbers with commas, or your own words: ' : 'A number, or your own words: '
  for (;;) {
    const line = await ask(hint, signal)
    if (line === null) return null
    if (line === '') continue
    const picked = line.split(',').map((part) => options[Number(part.trim()) - 1]?.label)
    const labels = picked.filter((label) => label !== undefined)
    if (labels.length < picked.length) return line
    return multiSelect ? labels : (labels[0] ?? line)
  }
}
