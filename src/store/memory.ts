/** The reference adapter: implements the port without durability. For tests. */

import { NO_OPTIONS } from '../protocol/option/option-role.js'
import { createAudit, createCredentials, createTrust } from './memory/access.js'
import { type Content, emptyContent } from './memory/content.js'
import { createDaemonRows } from './memory/daemon-rows.js'
import { createEventAppend } from './memory/event-append.js'
import { createEventReads } from './memory/event-reads.js'
import { createPrompts } from './memory/prompts.js'
import { createRecords } from './memory/records.js'
import { createSessionList } from './memory/session-list.js'
import { hourOf, sumUsage } from './memory/usage-sum.js'
import type { Store, StoredSecret } from './port.js'
import { WaitingWriter } from './waiting-writer.js'

export function createMemoryStore({ newId }: { newId(): string }): Store {
  const content = emptyContent()
  const { log, sessions, options, secrets } = content
  return {
    storage: new WaitingWriter({ probe: () => {} }),
    ...createEventAppend(content, newId),
    ...createEventReads(content),
    ...createSessionList(content),
    ...createAudit(content),
    ...createTrust(content),
    ...createCredentials(content),
    ...createDaemonRows(),
    ...createPrompts(),
    ...createRecords(content),
    deleteSession: async (id) => deleteSession(content, id),
    usage: async (since) => [
      ...content.deletedUsage.filter(({ hour }) => since === undefined || hour >= hourOf(since)),
      ...sumUsage(
        log.filter(({ event }) => sessions.has(event.sessionId)),
        sessions,
        since,
      ),
    ],

    setOptions: async (id, given) => void options.set(id, given),
    options: async (id) => options.get(id) ?? NO_OPTIONS,
    allOptions: async () => [...options.values()],

    addSecrets: async (id, values, source) => {
      const known = secrets.get(id) ?? new Map<string, StoredSecret['source']>()
      for (const value of values) if (known.get(value) !== 'configured') known.set(value, source)
      secrets.set(id, known)
    },
    secrets: async () => {
      const known = new Map<string, StoredSecret['source']>()
      for (const [value, source] of [...secrets.values()].flatMap((values) => [...values]))
        if (known.get(value) !== 'configured') known.set(value, source)
      return [...known].map(([value, source]) => ({ value, source })).toSorted(byValue)
    },

    close: async () => {},
  }
}

function deleteSession(content: Content, id: string): boolean {
  const { log, deleted, bySession, sessions, requests, keys, options, secrets } = content
  const session = sessions.get(id)
  if (session)
    content.deletedUsage.push(
      ...sumUsage(
        log.filter(({ event }) => event.sessionId === id),
        sessions,
        undefined,
      ),
    )
  if (session?.claudeSessionId)
    content.deletedConversations.push({
      claudeSessionId: session.claudeSessionId,
      sessionId: id,
      kind: session.kind,
      isAdopted: session.conversation.kind === 'adopted',
    })
  for (const request of requests.values()) if (request.sessionId === id) requests.delete(request.id)
  for (const [key, { value }] of keys)
    if (value === id || key.startsWith(JSON.stringify([`messages:${id}`]).slice(0, -1))) keys.delete(key)
  for (const stored of bySession.get(id) ?? []) deleted.add(stored)
  bySession.delete(id)
  content.points.delete(id)
  options.delete(id)
  secrets.delete(id)
  return sessions.delete(id)
}

function byValue(one: StoredSecret, other: StoredSecret): number {
  return one.value < other.value ? -1 : 1
}
