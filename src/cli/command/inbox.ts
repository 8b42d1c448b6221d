/** The inbox on the command line: lists pending requests and answers them. */

import type { Client } from '../../client/client.js'
import { homePath } from '../../home.js'
import { printable } from '../../lib/text/printable.js'
import { permissionModes } from '../../protocol/choice.js'
import { HubError } from '../../protocol/error.js'
import { formFields } from '../../protocol/form/form-field.js'
import type { Answer, InboxRequest } from '../../protocol/request.js'
import type { Session } from '../../protocol/session.js'
import { sessionName } from '../../protocol/view/session-name.js'
import { pendingRequests } from '../all-requests.js'
import { readChoice } from '../command-options.js'
import { connect } from '../connect.js'
import { EXIT } from '../exit-code.js'
import { readAnswer } from '../read-answer.js'
import { findRequestId } from '../short-id.js'
import type { Terminal } from '../terminal.js'

interface CommonOptions {
  home?: string
  json?: boolean
}

export async function inbox(options: CommonOptions, terminal: Terminal): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const requests = await pendingRequests(client)
  if (options.json) terminal.json({ requests })
  else if (requests.length === 0) terminal.note('No pending requests.')
  else {
    const sessions = await sessionsOf(client, requests)
    for (const request of requests) terminal.out(describe(request, sessions.get(request.sessionId)))
  }
  return EXIT.done
}

/** The sessions of the requests, by id. One that was deleted meanwhile is missing. */
async function sessionsOf(client: Client, requests: readonly InboxRequest[]): Promise<Map<string, Session>> {
  const ids = [...new Set(requests.map(({ sessionId }) => sessionId))]
  const found = await Promise.all(
    ids.map((id) =>
      client.getSession({ params: { id } }).then(
        ({ session }) => [session],
        () => [],
      ),
    ),
  )
  return new Map(found.flat().map((session) => [session.id, session]))
}

function describe(request: InboxRequest, session: Session | undefined): string {
  const { id, title, reason, severity, isParked, isOnlyInTerminal } = request
  const lines = [
    ...(session ? [`${printable(sessionName(session))} in ${printable(session.cwd)}`] : []),
    severity === 'destructive' ? `Destructive: ${reason}` : reason,
    ...(isParked ? ['The agent is not running; an answer restarts it.'] : []),
    ...(isOnlyInTerminal ? ['Can be answered only in its terminal.'] : []),
  ]
  const details = [...lines, ...detailsOf(request)].flatMap((text) => text.split('\n'))
  return `${id}  ${title}\n${details.map((line) => `    ${line}\n`).join('')}`
}

function detailsOf({ plan, questions, form, expiresAt }: InboxRequest): string[] {
  return [
    ...(expiresAt === null ? [] : [`Denied automatically at ${expiresAt}.`]),
    ...(plan === null ? [] : [plan]),
    ...questions.flatMap(({ question, options = [] }, index) => [
      ...(index > 0 ? [question] : []),
      ...options.map((option) => `  ${option.label}`),
    ]),
    ...(form?.url === undefined ? [] : [form.url]),
    ...(form
      ? formFields(form).map((field) => `  ${field.name}${field.isRequired ? '' : ' (optional)'}`)
      : []),
  ]
}

export function allow(
  id: string,
  options: CommonOptions & { all?: boolean; until?: string; input?: string; mode?: string },
  terminal: Terminal,
): Promise<number> {
  const { all, until, input, mode } = options
  return give(id, options, terminal, () => ({
    decision: all ? 'allowAll' : 'allow',
    ...(until !== undefined && { until: readTime(until) }),
    ...(input !== undefined && { updatedInput: readInput(input) }),
    ...(mode !== undefined && { mode: readChoice('--mode', mode, permissionModes) }),
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

/** Without values, the user is prompted here. */
export function answer(
  id: string,
  values: readonly string[],
  options: CommonOptions & { note?: readonly string[] },
  terminal: Terminal,
): Promise<number> {
  return give(id, options, terminal, async (request) => {
    if (values.length > 0) return readAnswer(request, values, options.note ?? [])
    const { askPerson } = await import('../ask-person.js')
    const said = terminal.isInteractive
      ? await askPerson(request, terminal, new AbortController().signal)
      : null
    if (said) return said
    throw new HubError(
      'answer_invalid',
      'No answer given. Pass the values as arguments, or run this in a terminal.',
    )
  })
}

async function give(
  short: string,
  options: CommonOptions,
  terminal: Terminal,
  answerTo: (request: InboxRequest) => Answer | Promise<Answer>,
): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const id = await findRequestId(client, short)
  const { request } = await client.getRequest({ params: { id } })
  const body = await answerTo(request)
  const reply = await client.answerRequest({ params: { id }, body })
  if (options.json) terminal.json(reply)
  else terminal.note(`Answered: ${request.title}`)
  return EXIT.done
}

/** A time of today, or a whole date and time. */
function readTime(text: string): string {
  const clock = /^(\d{1,2}):(\d{2})$/.exec(text)
  const time = clock ? new Date().setHours(Number(clock[1]), Number(clock[2]), 0, 0) : Date.parse(text)
  if (Number.isNaN(time))
    throw new HubError(
      'request_invalid',
      `Invalid --until "${text}". Use a time such as 18:00 or 2026-12-31T18:00.`,
    )
  return new Date(time).toISOString()
}

function readInput(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // Falls through to the same advice.
  }
  throw new HubError(
    'request_invalid',
    'Invalid --input. Pass the complete input of the tool as a JSON object.',
  )
}
