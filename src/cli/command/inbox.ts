/** The inbox on the command line: what waits, and the answers to it. */

import { homePath } from '../../home.js'
import { HubError } from '../../protocol/error.js'
import type { Answer, Request } from '../../protocol/request.js'
import { connect } from '../connect.js'
import { EXIT } from '../exit-code.js'
import { findRequestId } from '../short-id.js'
import type { Terminal } from '../terminal.js'

interface CommonOptions {
  home?: string
  json?: boolean
}

export async function inbox(options: CommonOptions, terminal: Terminal): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const { requests } = await client.listRequests({ query: { state: 'pending', limit: 1_000 } })
  if (options.json) terminal.json({ requests })
  else if (requests.length === 0) terminal.note('Nothing waits for you.')
  else for (const request of requests) terminal.out(describe(request))
  return EXIT.done
}

function describe({ id, title, reason, questions }: Request): string {
  const options = questions.flatMap((question) =>
    (question.options ?? []).map((option) => `    ${option.label}\n`),
  )
  return `${id}  ${title}\n    ${reason}\n${options.join('')}`
}

export function allow(
  id: string,
  options: CommonOptions & { all?: boolean; until?: string; input?: string },
  terminal: Terminal,
): Promise<number> {
  const { all, until, input } = options
  return give(id, options, terminal, () => ({
    decision: all ? 'allowAll' : 'allow',
    ...(until !== undefined && { until: readTime(until) }),
    ...(input !== undefined && { updatedInput: readInput(input) }),
  }))
}

export function deny(
  id: string,
  options: CommonOptions & { message?: string },
  terminal: Terminal,
): Promise<number> {
  const { message } = options
  return give(id, options, terminal, () => ({ decision: 'deny', ...(message !== undefined && { message }) }))
}

/** One value for each question, in their order; several choices with commas. */
export function answer(
  id: string,
  values: readonly string[],
  options: CommonOptions,
  terminal: Terminal,
): Promise<number> {
  return give(id, options, terminal, ({ questions }) => {
    if (values.length !== questions.length) {
      throw new HubError(
        'answer_invalid',
        `It asks ${questions.length} question(s); give one value for each.`,
      )
    }
    const answers = questions.map(({ question, multiSelect }, index) => {
      const value = values[index] ?? ''
      return [question, multiSelect ? value.split(',').map((part) => part.trim()) : value] as const
    })
    return { answers: Object.fromEntries(answers) }
  })
}

async function give(
  short: string,
  options: CommonOptions,
  terminal: Terminal,
  answerTo: (request: Request) => Answer,
): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const id = await findRequestId(client, short)
  const { request } = await client.getRequest({ params: { id } })
  const reply = await client.answerRequest({ params: { id }, body: answerTo(request) })
  if (options.json) terminal.json(reply)
  else terminal.note(`Answered: ${request.title}`)
  return EXIT.done
}

/** A time of today, or a whole date and time. */
function readTime(text: string): string {
  const clock = /^(\d{1,2}):(\d{2})$/.exec(text)
  const time = clock ? new Date().setHours(Number(clock[1]), Number(clock[2]), 0, 0) : Date.parse(text)
  if (Number.isNaN(time)) throw new HubError('request_invalid', 'Give --until as 18:00 or 2026-12-31T18:00.')
  return new Date(time).toISOString()
}

function readInput(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // Falls through to the same advice.
  }
  throw new HubError('request_invalid', 'Give --input as a JSON object, the whole input of the tool.')
}
