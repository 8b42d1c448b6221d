/** Commands that look at sessions and steer them. */

import { busyWays, efforts, permissionModes } from '../../../protocol/choice.js'
import { HubError } from '../../../protocol/error.js'
import type { Session } from '../../../protocol/session.js'
import { type CommandOptions, clientFor, readChoice } from '../../command-options.js'
import { EXIT } from '../../exit-code.js'
import { conditionText } from '../../list/session-text.js'
import { table } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'
import { oneLine } from '../../output/text.js'
import { findSessionId, theOnly } from '../../short-id.js'

/** The state of a session, with the reason it waits for, inside a sentence. */
export function stateOf(session: Session): string {
  const text = conditionText(session)
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`
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
        [
          { title: 'task', minWidth: 10 },
          { title: 'kind', minWidth: 8 },
          { title: 'description', minWidth: 12, wraps: true },
        ],
        running.map(({ id: task, kind, description }) => [task, kind, oneLine(description ?? '')]),
        { width: terminal.columns },
      ),
    )
  return EXIT.done
}
