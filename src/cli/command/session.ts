/** Commands that look at sessions and steer them. */

import { printable } from '../../lib/text/printable.js'
import {
  busyWays,
  conditions,
  efforts,
  permissionModes,
  sessionKinds,
  sessionStates,
} from '../../protocol/choice.js'
import { HubError } from '../../protocol/error.js'
import type { Session } from '../../protocol/session.js'
import { sessionName } from '../../protocol/view/session-name.js'
import { type CommandOptions, clientFor, readChoice, readNumber } from '../command-options.js'
import { EXIT } from '../exit-code.js'
import { findSessionId, theOnly } from '../short-id.js'
import { table } from '../table.js'
import type { Terminal } from '../terminal.js'

export async function sessions(
  options: CommandOptions & {
    all?: boolean
    state?: string
    condition?: string
    archived?: boolean
    tag?: string
    kind?: string
    cwd?: string
    externalId?: string
    search?: string
    limit?: string
  },
  terminal: Terminal,
): Promise<number> {
  const { state, condition, tag, kind, cwd, externalId, search, limit } = options
  const client = clientFor(options)
  const { sessions: found } = await client.listSessions({
    query: {
      ...(state !== undefined && { state: readChoice('--state', state, sessionStates) }),
      ...(condition !== undefined && { condition: readChoice('--condition', condition, conditions) }),
      ...(!options.all && { archived: options.archived ? 'true' : 'false' }),
      ...(tag !== undefined && { tag }),
      ...(kind !== undefined && { kind: readChoice('--kind', kind, sessionKinds) }),
      ...(cwd !== undefined && { cwd }),
      ...(externalId !== undefined && { externalId }),
      ...(search !== undefined && { q: search }),
      limit: limit === undefined ? 1_000 : readNumber('--limit', limit, { min: 1, max: 1_000 }),
    },
  })
  const hasEnded = options.all || options.archived || state === 'ended'
  const shown = hasEnded ? found : found.filter((session) => session.state !== 'ended')
  if (options.json) terminal.json({ sessions: shown })
  else if (shown.length === 0) terminal.note('No sessions. Start one with: signalbox run "what to do"')
  else terminal.out(sessionTable(shown))
  return EXIT.done
}

function sessionTable(shown: readonly Session[]): string {
  return table(
    [
      { title: 'session' },
      { title: 'state' },
      { title: 'cost', align: 'right' },
      { title: 'title', maxWidth: 48 },
      { title: 'folder' },
    ],
    shown.map((session) => [
      session.id,
      stateOf(session),
      session.costUsd > 0 ? money(session.costUsd) : '',
      oneLine(sessionName(session)),
      session.cwd,
    ]),
  )
}

/** The state of a session, with the reason it waits for. */
export function stateOf(session: Session): string {
  const { state, activity, pendingRequests, kind } = session
  const waiting = pendingRequests.length > 1 ? ` (${pendingRequests.length})` : ''
  const doing = conditionText(session) ?? (state === 'working' && activity ? activity : state)
  return `${doing}${waiting}${kind === 'observed' ? ', terminal' : ''}`
}

function conditionText({ condition, conditionDetail }: Session): string | null {
  if (condition === null) return null
  const name = condition.replaceAll('_', ' ')
  const { attempt, maxAttempts, until } = conditionDetail ?? {}
  if (attempt !== undefined)
    return `${name} ${attempt}${maxAttempts === undefined ? '' : ` of ${maxAttempts}`}`
  return until === undefined ? name : `${name} until ${localTime(until)}`
}

function localTime(at: string): string {
  return new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
}

export function money(usd: number): string {
  return `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`
}

export function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, ' ').trim())
}

export async function send(
  id: string,
  text: readonly string[],
  options: CommandOptions & { whenBusy?: string },
  terminal: Terminal,
): Promise<number> {
  const client = clientFor(options)
  const { whenBusy } = options
  const reply = await client.sendMessage({
    params: { id: await findSessionId(client, id) },
    body: {
      text: text.join(' '),
      ...(whenBusy !== undefined && { whenBusy: readChoice('--when-busy', whenBusy, busyWays) }),
    },
  })
  if (options.json) terminal.json(reply)
  else terminal.note(`Sent as ${reply.messageId}.`)
  return EXIT.done
}

/** Prints the new state of a session. */
function tell(
  reply: { session: Session },
  options: CommandOptions,
  terminal: Terminal,
  what?: string,
): number {
  if (options.json) terminal.json(reply)
  else terminal.note(what ?? `${reply.session.id} is ${stateOf(reply.session)}.`)
  return EXIT.done
}

export async function interrupt(id: string, options: CommandOptions, terminal: Terminal): Promise<number> {
  const client = clientFor(options)
  const params = { id: await findSessionId(client, id) }
  return tell(await client.interruptSession({ params, body: {} }), options, terminal)
}

export async function stop(
  id: string,
  options: CommandOptions & { reason?: string },
  terminal: Terminal,
): Promise<number> {
  const client = clientFor(options)
  const params = { id: await findSessionId(client, id) }
  const { reason } = options
  return tell(
    await client.stopSession({ params, body: reason === undefined ? {} : { reason } }),
    options,
    terminal,
  )
}

export async function resume(
  id: string,
  options: CommandOptions & { at?: string; continue?: boolean },
  terminal: Terminal,
): Promise<number> {
  const client = clientFor(options)
  const params = { id: await findSessionId(client, id) }
  const { at } = options
  const body = { ...(at !== undefined && { at }), ...(options.continue && { continue: true }) }
  return tell(await client.resumeSession({ params, body }), options, terminal)
}

export async function fork(
  id: string,
  options: CommandOptions & { at?: string; title?: string; prompt?: string },
  terminal: Terminal,
): Promise<number> {
  const client = clientFor(options)
  const params = { id: await findSessionId(client, id) }
  const { at, title, prompt } = options
  const body = {
    ...(at !== undefined && { at }),
    ...(title !== undefined && { title }),
    ...(prompt !== undefined && { prompt }),
  }
  const reply = await client.forkSession({ params, body })
  return tell(reply, options, terminal, `${reply.session.id} is a copy of ${params.id}.`)
}

export async function rewind(
  id: string,
  options: CommandOptions & { to: string; dryRun?: boolean },
  terminal: Terminal,
): Promise<number> {
  const client = clientFor(options)
  if (!options.to.startsWith('msg_'))
    throw new HubError(
      'request_invalid',
      `Invalid --to "${options.to}". Use the id of a message (msg_…); "signalbox show" lists them.`,
    )
  const reply = await client.rewindSession({
    params: { id: await findSessionId(client, id) },
    body: { to: options.to, ...(options.dryRun && { dryRun: true }) },
  })
  if (options.json) {
    terminal.json(reply)
    return EXIT.done
  }
  const { files, insertions, deletions } = reply.rewound
  for (const file of files) terminal.out(`${file}\n`)
  const done = options.dryRun ? 'would be restored' : 'restored'
  const unchanged = options.dryRun ? 'No files would change.' : 'No files changed.'
  terminal.note(
    files.length === 0
      ? unchanged
      : `Files ${done}: ${files.length}. Lines added: ${insertions}, removed: ${deletions}.`,
  )
  return EXIT.done
}

export function rename(
  id: string,
  title: readonly string[],
  options: CommandOptions,
  terminal: Terminal,
): Promise<number> {
  return set(id, { ...options, title: title.join(' ') }, terminal)
}

export async function set(
  id: string,
  options: CommandOptions & {
    mode?: string
    model?: string
    effort?: string
    title?: string
    externalId?: string
  },
  terminal: Terminal,
): Promise<number> {
  const { mode, model, effort, title, externalId } = options
  const body = {
    ...(mode !== undefined && { permissionMode: readChoice('--mode', mode, permissionModes) }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort: readChoice('--effort', effort, efforts) }),
    ...(title !== undefined && { title }),
    ...(externalId !== undefined && { externalId: externalId === '' ? null : externalId }),
  }
  if (Object.keys(body).length === 0)
    throw new HubError(
      'request_invalid',
      'Nothing to change. Use --mode, --model, --effort, --title or --external-id.',
    )
  const client = clientFor(options)
  const reply = await client.changeSession({ params: { id: await findSessionId(client, id) }, body })
  return tell(reply, options, terminal, `Changed ${reply.session.id}.`)
}

export async function remove(id: string, options: CommandOptions, terminal: Terminal): Promise<number> {
  const client = clientFor(options)
  const reply = await client.deleteSession({ params: { id: await findSessionId(client, id) } })
  if (options.json) terminal.json(reply)
  else terminal.note(`Deleted ${reply.sessionId}.`)
  return EXIT.done
}

export async function tasks(
  id: string,
  word: string | undefined,
  short: string | undefined,
  options: CommandOptions,
  terminal: Terminal,
): Promise<number> {
  const client = clientFor(options)
  const { session } = await client.getSession({ params: { id: await findSessionId(client, id) } })
  const running = [
    ...Object.entries(session.tasks).map(([key, task]) => ({ id: key, ...task })),
    ...Object.entries(session.agents).map(([key, { type, description }]) => ({
      id: key,
      kind: type,
      description,
    })),
  ]
  if (word !== undefined) {
    if (word !== 'stop' || short === undefined)
      throw new HubError('request_invalid', 'Usage: signalbox tasks SESSION stop TASK')
    const taskId = running.some((task) => task.id === short)
      ? short
      : theOnly(
          short,
          running,
          () =>
            new HubError(
              'task_not_found',
              `The session runs no task ${short}. List its tasks with "signalbox tasks ${id}".`,
            ),
        )
    const reply = await client.stopTask({ params: { id: session.id, taskId }, body: {} })
    return tell(reply, options, terminal, `Stopped ${taskId}.`)
  }
  if (options.json) terminal.json({ tasks: running })
  else if (running.length === 0) terminal.note('No background tasks.')
  else
    terminal.out(
      table(
        [{ title: 'task' }, { title: 'kind' }, { title: 'description' }],
        running.map(({ id: task, kind, description }) => [task, kind, oneLine(description ?? '')]),
      ),
    )
  return EXIT.done
}
