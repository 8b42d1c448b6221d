/** Opens the session of a conversation that has an id of the caller's: a new one, or the one that Claude has held before. */

import type { Session } from '../embed/session.js'
import type { Signalbox } from '../embed/signalbox.js'
import { EXTERNAL_ID } from '../protocol/choice.js'
import type { PermissionMode } from '../protocol/value.js'
import type { ConversationId } from './pending-request.js'

export interface Conversation {
  /** The caller's own id. One that is not valid as an external id is not stored. */
  id: ConversationId
  cwd: string
  /** Resumes this conversation of Claude's. Without it a new one begins. */
  claudeSessionId: string | undefined
  permissionMode: PermissionMode | undefined
  model: string | undefined
  trustWorkspaces: boolean
}

export class ConversationOpenings {
  /** Sessions that are being opened, by id: the next message of the same id waits. */
  readonly #running = new Map<ConversationId, Promise<Session>>()

  /** Race: two messages of one id must not open two sessions at once, for one of them would be refused. */
  async open(conversation: Conversation, signalbox: () => Promise<Signalbox>): Promise<Session> {
    const before = this.#running.get(conversation.id)
    const opening = Promise.resolve(before?.catch(() => {})).then(async () =>
      openConversation(await signalbox(), conversation),
    )
    this.#running.set(conversation.id, opening)
    try {
      return await opening
    } finally {
      if (this.#running.get(conversation.id) === opening) this.#running.delete(conversation.id)
    }
  }
}

async function openConversation(
  signalbox: Signalbox,
  { id, cwd, claudeSessionId, permissionMode, model, trustWorkspaces }: Conversation,
): Promise<Session> {
  const externalId = EXTERNAL_ID.test(String(id)) ? String(id) : undefined
  if (trustWorkspaces) await signalbox.trust(cwd)
  if (externalId !== undefined) await endOthers(signalbox, externalId, claudeSessionId)
  if (claudeSessionId === undefined) {
    return signalbox.sessions.create({
      cwd,
      ...(externalId !== undefined && { externalId }),
      ...(permissionMode && { permissionMode }),
      ...(model !== undefined && { model }),
    })
  }
  const [known] = await signalbox.sessions.list({ claudeSessionId, kind: 'managed', limit: 1 })
  // First, so that one that has ended is not refused because of the id it had.
  if (known && externalId !== undefined && known.externalId !== externalId)
    await (await signalbox.sessions.get(known.id)).change({ externalId })
  const session = await signalbox.sessions.resume(claudeSessionId)
  if (!known && externalId !== undefined) await session.change({ externalId })
  if (permissionMode) await session.change({ permissionMode })
  return session
}

/** A conversation begins afresh: the session that had its id ends. */
async function endOthers(
  signalbox: Signalbox,
  externalId: string,
  claudeSessionId: string | undefined,
): Promise<void> {
  for (const held of await signalbox.sessions.list({ externalId })) {
    if (held.state === 'ended' || held.claudeSessionId === claudeSessionId) continue
    await (await signalbox.sessions.get(held.id)).close()
  }
}
