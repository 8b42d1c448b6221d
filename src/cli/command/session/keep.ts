/** `signalbox pin`, `archive`, `mute` and `tag`: how users keep their list of sessions in order. */

import type { ChangeSession } from '../../../protocol/api-body.js'
import type { Session } from '../../../protocol/session.js'
import { type CommandOptions, clientFor } from '../../command-options.js'
import { EXIT } from '../../exit-code.js'
import type { Terminal } from '../../output/terminal.js'
import { oneLine } from '../../output/text.js'
import { findSessionId } from '../../short-id.js'

type Undoable = CommandOptions & { undo?: boolean }

export function pin(ids: readonly string[], options: Undoable, terminal: Terminal): Promise<number> {
  const isPinned = options.undo !== true
  return changeAll(ids, { isPinned }, isPinned ? 'Pinned' : 'Unpinned', options, terminal)
}

export function archive(ids: readonly string[], options: Undoable, terminal: Terminal): Promise<number> {
  const isArchived = options.undo !== true
  return changeAll(ids, { isArchived }, isArchived ? 'Archived' : 'Unarchived', options, terminal)
}

export function mute(ids: readonly string[], options: Undoable, terminal: Terminal): Promise<number> {
  const isMuted = options.undo !== true
  return changeAll(ids, { isMuted }, isMuted ? 'Muted' : 'Unmuted', options, terminal)
}

/** All ids are looked up first: a wrong one changes nothing. */
async function changeAll(
  shortIds: readonly string[],
  body: ChangeSession,
  done: string,
  options: CommandOptions,
  terminal: Terminal,
): Promise<number> {
  const client = clientFor(options)
  const ids = await Promise.all(shortIds.map((id) => findSessionId(client, id)))
  const sessions: Session[] = []
  for (const id of ids) sessions.push((await client.changeSession({ params: { id }, body })).session)
  if (options.json) terminal.json({ sessions })
  else for (const { id } of sessions) terminal.note(`${done} ${id}.`)
  return EXIT.done
}

/** Without tags, prints those that the session has. */
export async function tag(
  id: string,
  tags: readonly string[],
  options: CommandOptions & { remove?: boolean },
  terminal: Terminal,
): Promise<number> {
  const client = clientFor(options)
  const params = { id: await findSessionId(client, id) }
  const { session } = await client.getSession({ params })
  const known = session.tags
  const wanted = options.remove
    ? known.filter((one) => !tags.includes(one))
    : [...new Set([...known, ...tags])]
  const reply =
    tags.length === 0 ? { session } : await client.changeSession({ params, body: { tags: wanted } })
  if (options.json) terminal.json(reply)
  else if (reply.session.tags.length === 0) terminal.note('No tags.')
  else terminal.out(`${reply.session.tags.map(oneLine).join('\n')}\n`)
  return EXIT.done
}
