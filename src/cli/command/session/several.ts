/** Commands that act on several sessions or requests at once: those that are named, or all with `--all`. */

import type { Client } from '../../../client/client.js'
import { HubError } from '../../../protocol/error.js'
import type { Session } from '../../../protocol/session.js'
import { pendingRequests } from '../../all-requests.js'
import { allSessions } from '../../all-sessions.js'
import { type CommandOptions, clientFor } from '../../command-options.js'
import { EXIT, exitCodeOf } from '../../exit-code.js'
import { requestTitle } from '../../list/request-text.js'
import { conditionText, titleOf } from '../../list/session-text.js'
import type { Terminal } from '../../output/terminal.js'
import { hint } from '../../own-command.js'
import { findRequestId, findSessionId } from '../../short-id.js'

export interface SeveralOptions extends CommandOptions {
  all?: boolean
  yes?: boolean
}

interface Target {
  id: string
  title: string
}

/** The action on each, and those that `--all` means. */
interface Work<Reply> {
  /** `Stop`, as a button has it. */
  verb: string
  thing: 'session' | 'request'
  find(client: Client, short: string): Promise<string>
  all(client: Client): Promise<Target[]>
  act(client: Client, id: string): Promise<Reply>
  describe(reply: Reply): string
}

/** One id without `--all` prints the reply as ever; several print a list of replies and one of failures. */
async function doAll<Reply extends object>(
  shorts: readonly string[],
  options: SeveralOptions,
  terminal: Terminal,
  work: Work<Reply>,
): Promise<number> {
  if (shorts.length === 0 && !options.all)
    throw new HubError('request_invalid', `Name a ${work.thing}, or use --all for all of them.`)
  if (shorts.length > 0 && options.all)
    throw new HubError('request_invalid', `Name ${work.thing}s or use --all, not both.`)
  const client = clientFor(options)
  const [only] = shorts
  if (only !== undefined && shorts.length === 1) {
    const reply = await work.act(client, await work.find(client, only))
    if (options.json) terminal.json(reply)
    else terminal.note(work.describe(reply))
    return EXIT.done
  }
  const ids = options.all
    ? await confirmed(await work.all(client), options, terminal, work)
    : await Promise.all(shorts.map((short) => work.find(client, short)))
  return report(ids, client, options, terminal, work)
}

async function report<Reply extends object>(
  ids: readonly string[],
  client: Client,
  options: SeveralOptions,
  terminal: Terminal,
  work: Work<Reply>,
): Promise<number> {
  const outcomes = await Promise.allSettled([...new Set(ids)].map((id) => work.act(client, id)))
  const replies = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const errors = outcomes.flatMap((outcome): unknown[] =>
    outcome.status === 'rejected' ? [outcome.reason] : [],
  )
  const messages = errors.map((error) => (error instanceof Error ? error.message : String(error)))
  if (options.json) terminal.json({ done: replies, failed: messages })
  else {
    for (const reply of replies) terminal.note(work.describe(reply))
    for (const message of messages) terminal.note(terminal.color.red(hint(message)))
    if (outcomes.length === 0) terminal.note(`No ${work.thing}s to ${work.verb.toLowerCase()}.`)
  }
  return errors.length === 0 ? EXIT.done : exitCodeOf(errors[0])
}

/** On a terminal the user sees what `--all` means before it happens. */
async function confirmed<Reply>(
  targets: readonly Target[],
  { yes, json }: SeveralOptions,
  terminal: Terminal,
  { verb, thing }: Work<Reply>,
): Promise<string[]> {
  const ids = targets.map(({ id }) => id)
  if (ids.length === 0 || yes || json || !terminal.isInteractive) return ids
  for (const { id, title } of targets) terminal.note(`  ${id.slice(-6)}  ${title}`)
  const question = `${verb} ${ids.length === 1 ? `this ${thing}` : `these ${ids.length} ${thing}s`}? [y] yes  [n] no: `
  const key = await terminal.key(question, ['y', 'n'], new AbortController().signal)
  if (key === 'y') return ids
  throw new HubError('request_invalid', 'Nothing was changed.')
}

function sessionWork(
  verb: string,
  /** Of those of ours that have not ended. */
  isMeant: (session: Session) => boolean,
  act: (client: Client, id: string) => Promise<{ session: Session }>,
): Work<{ session: Session }> {
  return {
    verb,
    thing: 'session',
    find: findSessionId,
    async all(client) {
      const { sessions } = await allSessions(client, { ended: 'false', kind: 'managed' })
      return sessions.filter(isMeant).map((session) => ({ id: session.id, title: titleOf(session) }))
    },
    act,
    describe: ({ session }) => `${session.id} is ${lower(conditionText(session))}.`,
  }
}

const lower = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`

export function interrupt(
  ids: readonly string[],
  options: SeveralOptions,
  terminal: Terminal,
): Promise<number> {
  const isBusy = ({ state }: Session) => state !== 'idle'
  const act = (client: Client, id: string) => client.interruptSession({ params: { id }, body: {} })
  return doAll(ids, options, terminal, sessionWork('Interrupt', isBusy, act))
}

export function stop(
  ids: readonly string[],
  options: SeveralOptions & { reason?: string },
  terminal: Terminal,
): Promise<number> {
  const { reason } = options
  const act = (client: Client, id: string) =>
    client.stopSession({ params: { id }, body: reason === undefined ? {} : { reason } })
  return doAll(
    ids,
    options,
    terminal,
    sessionWork('Stop', () => true, act),
  )
}

export function continueTurns(
  ids: readonly string[],
  options: SeveralOptions,
  terminal: Terminal,
): Promise<number> {
  const isCutOff = ({ isInterrupted }: Session) => isInterrupted
  const act = (client: Client, id: string) =>
    client.resumeSession({ params: { id }, body: { continue: true } })
  const work = sessionWork('Continue', isCutOff, act)
  return doAll(ids, options, terminal, {
    ...work,
    describe: (reply) =>
      reply.session.state === 'idle' && reply.session.queue.length === 0
        ? `${reply.session.id} was not interrupted: there is nothing to continue.`
        : work.describe(reply),
  })
}

export function deny(
  ids: readonly string[],
  options: SeveralOptions & { message?: string },
  terminal: Terminal,
): Promise<number> {
  const { message } = options
  return doAll(ids, options, terminal, {
    verb: 'Deny',
    thing: 'request',
    find: findRequestId,
    async all(client) {
      const requests = (await pendingRequests(client)).filter(({ isOnlyInTerminal }) => !isOnlyInTerminal)
      return requests.map((request) => ({ id: request.id, title: requestTitle(request) }))
    },
    act: (client, id) =>
      client.answerRequest({
        params: { id },
        body: { decision: 'deny', ...(message !== undefined && { message }) },
      }),
    describe: ({ request }) => `Denied: ${requestTitle(request)}`,
  })
}
