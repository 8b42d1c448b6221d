/** What people and programs can do. Every way in (HTTP, command line, library) goes through here. */

import { realpath, stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import type { Bus } from './bus/port.js'
import type { Inbox } from './inbox/inbox.js'
import { AppendRefused, type Journal } from './journal.js'
import type { IdSource } from './lib/id.js'
import type { CreateSession, SendMessage } from './protocol/command.js'
import { HubError } from './protocol/error.js'
import type { DataOf, EventDraft, SessionEvent } from './protocol/event.js'
import type { Session } from './protocol/session.js'
import type { Actor, WhenBusy } from './protocol/value.js'
import type { EventFilter, SessionFilter, Store } from './store/port.js'

export interface HubDeps {
  journal: Journal
  store: Store
  inbox: Inbox
  bus: Bus
  ids: IdSource
  /** What happens to a message for a busy session when its sender does not say. */
  whenBusy: WhenBusy
}

export interface Hub {
  readonly inbox: Inbox
  readonly journal: Journal
  createSession(command: CreateSession, actor: Actor): Promise<Session>
  session(id: string): Promise<Session>
  sessions(filter: SessionFilter): Promise<Session[]>
  events(sessionId: string, filter: EventFilter): Promise<SessionEvent[]>
  /** The place of the newest event of all sessions. */
  lastPosition(): Promise<number>
  /** Resolves when the message is stored: from then on it is not lost. */
  send(sessionId: string, command: SendMessage, actor: Actor): Promise<{ messageId: string }>
  interrupt(sessionId: string): Promise<Session>
  stop(sessionId: string, reason: string | undefined, actor: Actor): Promise<Session>
  resume(sessionId: string): Promise<Session>
}

export function createHub(deps: HubDeps): Hub {
  const { journal, store, inbox, bus, ids } = deps

  async function session(id: string): Promise<Session> {
    const found = await journal.session(id)
    if (found) return found
    throw new HubError(
      'session_not_found',
      `No session ${id}. List sessions with "signalbox sessions --all".`,
      {
        sessionId: id,
      },
    )
  }

  async function createSession(command: CreateSession, actor: Actor): Promise<Session> {
    const { prompt, title = null, model = null, permissionMode = 'default', idempotencyKey } = command
    const cwd = await findWorkspace(command.cwd)
    const id = ids.next('ses')
    const drafts: EventDraft[] = [
      {
        type: 'session.created',
        data: { kind: 'managed', cwd, title, model, permissionMode, parentId: null, by: actor },
      },
    ]
    if (prompt !== undefined) drafts.push(messageQueued({ text: prompt }, actor))
    const once =
      idempotencyKey === undefined ? {} : { once: { scope: 'sessions', key: idempotencyKey, value: id } }
    const known = await appendOnce(id, drafts, once)
    return session(known ?? id)
  }

  async function send(sessionId: string, command: SendMessage, actor: Actor): Promise<{ messageId: string }> {
    const { kind, state } = await session(sessionId)
    if (kind === 'observed') {
      throw new HubError('message_invalid', `Session ${sessionId} runs in a terminal; write to it there.`, {
        sessionId,
      })
    }
    if (state === 'ended') {
      throw new HubError(
        'session_ended',
        `Session ${sessionId} has ended. Take it up again with "signalbox resume".`,
        {
          sessionId,
        },
      )
    }
    const draft = messageQueued(command, actor)
    const { messageId } = draft.data
    const { idempotencyKey: key } = command
    const once = key === undefined ? {} : { once: { scope: `messages:${sessionId}`, key, value: messageId } }
    return { messageId: (await appendOnce(sessionId, [draft], once)) ?? messageId }
  }

  /** Returns the value that somebody has stored before under the same key. */
  async function appendOnce(
    sessionId: string,
    drafts: EventDraft[],
    options: Parameters<Journal['append']>[2],
  ): Promise<string | null> {
    try {
      await journal.append(sessionId, drafts, options)
      return null
    } catch (error) {
      if (error instanceof AppendRefused && error.why.kind === 'key_used') return error.why.value
      throw error
    }
  }

  function messageQueued(
    command: SendMessage,
    from: Actor,
  ): { type: 'message.queued'; data: DataOf<'message.queued'> } {
    const whenBusy = command.whenBusy ?? deps.whenBusy
    const messageId = ids.next('msg')
    if ('text' in command) {
      return { type: 'message.queued', data: { messageId, text: command.text, whenBusy, from } }
    }
    const text = command.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
    return { type: 'message.queued', data: { messageId, text, content: command.content, whenBusy, from } }
  }

  return {
    inbox,
    journal,
    createSession,
    session,
    sessions: (filter) => store.sessions(filter),
    async events(sessionId, filter) {
      await session(sessionId)
      return (await store.readSession(sessionId, filter)).map(({ event }) => event)
    },
    lastPosition: () => store.lastPosition(),
    send,
    async interrupt(sessionId) {
      await session(sessionId)
      await bus.call({ type: 'session.interrupt', sessionId })
      return session(sessionId)
    },
    async stop(sessionId, reason, actor) {
      await session(sessionId)
      await bus.call({ type: 'session.stop', sessionId, reason: reason ?? `Stopped by ${actor.who}.` })
      return session(sessionId)
    },
    async resume(sessionId) {
      const { state } = await session(sessionId)
      if (state === 'ended')
        await journal.append(sessionId, [{ type: 'session.changed', data: { state: 'idle' } }])
      return session(sessionId)
    },
  }
}

async function findWorkspace(cwd: string): Promise<string> {
  const folder = isAbsolute(cwd) ? await stat(cwd).catch(() => null) : null
  if (folder?.isDirectory()) return realpath(cwd)
  throw new HubError(
    'workspace_not_found',
    `There is no folder ${JSON.stringify(cwd)}. Name an existing one by its absolute path.`,
    { cwd },
  )
}
