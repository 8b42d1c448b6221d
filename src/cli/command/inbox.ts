/** The inbox on the command line: lists pending requests and answers them. */

import { homePath } from '../../home.js'
import { permissionModes } from '../../protocol/choice.js'
import { HubError } from '../../protocol/error.js'
import type { Answer, InboxRequest } from '../../protocol/request.js'
import { pendingRequests } from '../all-requests.js'
import { readAnswer } from '../ask/read-answer.js'
import { readChoice } from '../command-options.js'
import { connect } from '../connect.js'
import { EXIT } from '../exit-code.js'
import { sessionsOf } from '../list/request-session.js'
import { requestText } from '../list/request-text.js'
import type { Terminal } from '../output/terminal.js'
import type { TimeOptions } from '../output/time.js'
import { findRequestId, shortIds } from '../short-id.js'

interface CommonOptions {
  home?: string
  json?: boolean
}

export async function inbox(
  options: CommonOptions & TimeOptions & { follow?: boolean },
  terminal: Terminal,
): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  if (options.follow) return (await import('../list/follow-inbox.js')).followInbox(client, options, terminal)
  const requests = await pendingRequests(client)
  if (options.json) terminal.json({ requests })
  else if (requests.length === 0) terminal.note('No pending requests.')
  else {
    const sessions = await sessionsOf(client, requests)
    const { columns: width } = terminal
    // Into a pipe ids are whole, for programs.
    const short = width === null ? null : shortIds(requests.map(({ id }) => id))
    for (const request of requests) {
      const shortId = short?.get(request.id) ?? request.id
      const session = sessions.get(request.sessionId)
      const { utc = false } = options
      terminal.out(requestText(request, { width, now: Date.now(), shortId, session, utc }))
    }
  }
  return EXIT.done
}

export function allow(
  id: string,
  options: CommonOptions & { all?: boolean; until?: string; input?: string; mode?: string },
  terminal: Terminal,
): Promise<number> {
  const { all, until, input, mode } = options
  return give(id, options, terminal, ({ id: requestId, kind, form }) => {
    // A form can be accepted, with the fields in `--input`.
    if (kind === 'question' && !form)
      throw new HubError(
        'answer_invalid',
        `This is a question. Answer it with: signalbox answer ${requestId}`,
      )
    return {
      decision: all ? 'allowAll' : 'allow',
      ...(until !== undefined && { until: readTime(until) }),
      ...(input !== undefined && { updatedInput: readInput(input) }),
      ...(mode !== undefined && { mode: readChoice('--mode', mode, permissionModes) }),
    }
  })
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
    const { askPerson } = await import('../ask/ask-person.js')
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
