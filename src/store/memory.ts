/** The reference adapter: implements the port without durability. For tests. */

import { type AuditRow, EMPTY, nextRow, recordOf } from '../audit/chain.js'
import { auditOf } from '../audit/entry.js'
import { groupBy } from '../lib/group-by.js'
import { phrasesOf, splitWords } from '../lib/text/search-text.js'
import type { AuditEntry } from '../protocol/audit.js'
import { textIn } from '../protocol/event/event-text.js'
import { NO_OPTIONS, type StoredOptions } from '../protocol/option/option-role.js'
import { applyToRequest, type InboxRequest } from '../protocol/request.js'
import { searchedText } from '../protocol/search.js'
import type { Session } from '../protocol/session.js'
import { usageIn } from '../protocol/usage/usage.js'
import { isActive, isPriced, keyUsed, openName, planAppend } from './plan.js'
import {
  type AppendGroup,
  type AppendResult,
  type Credential,
  DEFAULT_LIMIT,
  type EventFilter,
  type ProcessRecord,
  type Store,
  type StoredEvent,
  type StoredSecret,
  type TranscriptRecord,
  type TrustedWorkspace,
  type UsageSum,
} from './port.js'
import { WaitingWriter } from './waiting-writer.js'

export function createMemoryStore({ newId }: { newId(): string }): Store {
  const log: StoredEvent[] = []
  const deleted = new Set<StoredEvent>()
  const bySession = new Map<string, StoredEvent[]>()
  const sessions = new Map<string, Session>()
  const requests = new Map<string, InboxRequest>()
  const keys = new Map<string, { value: string; digest: string }>()
  const chain: AuditRow[] = []
  let isSealed = false
  /** Position of the newest trimmed event. */
  let trimmed = 0
  const facts = new Map<string, string>()
  let recovered = 0
  const processes = new Map<number, ProcessRecord>()
  const credentials = new Map<string, Credential>()
  const options = new Map<string, StoredOptions>()
  const secrets = new Map<string, Map<string, StoredSecret['source']>>()
  const workspaces = new Map<string, TrustedWorkspace>()
  const transcripts = new Map<string, TranscriptRecord>()

  function nextPosition(after: number): number {
    if (after >= trimmed) return after
    const next = log.find((stored) => stored.position > after && !deleted.has(stored))
    return next?.position ?? trimmed + 1
  }

  function addAudit(entry: AuditEntry | null | undefined): void {
    if (entry) chain.push(nextRow(chain.at(-1) ?? EMPTY, entry))
  }

  function holderOf(externalId: string): string | null {
    return [...sessions.values()].find((session) => openName(session) === externalId)?.id ?? null
  }

  function appendGroup(group: AppendGroup): AppendResult {
    const { sessionId, once } = group
    const key = once && JSON.stringify([once.scope, once.key])
    const used = key === undefined ? undefined : keys.get(key)
    if (once && used) return { kind: 'refused', why: keyUsed(used, once) }
    const plan = planAppend(sessions.get(sessionId) ?? null, group, newId, holderOf)
    if (plan.kind === 'refused') return plan
    if (once && key) keys.set(key, { value: once.value, digest: once.digest ?? '' })
    const events = plan.events.map((event, index) => ({ position: log.length + 1 + index, event }))
    log.push(...events)
    bySession.set(sessionId, [...(bySession.get(sessionId) ?? []), ...events])
    sessions.set(sessionId, plan.session)
    for (const { event } of events) {
      const id = 'requestId' in event.data ? event.data.requestId : ''
      const request = applyToRequest(requests.get(id) ?? null, event)
      if (request) requests.set(request.id, request)
      for (const entry of auditOf(event, request)) addAudit(entry)
    }
    return { kind: 'stored', events, session: plan.session }
  }

  return {
    storage: new WaitingWriter({ probe: () => {} }),
    state: async (key) => facts.get(key) ?? null,
    setState: async (key, value) => void (value === null ? facts.delete(key) : facts.set(key, value)),
    states: async (prefix) =>
      [...facts]
        .filter(([key]) => key.startsWith(prefix))
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([key, value]) => ({ key, value })),
    recoveredUpTo: async () => recovered,
    setRecovered: async (position) => {
      recovered = position
    },
    append: async (groups) => groups.map(appendGroup),
    readSession: async (id, filter) => select(bySession.get(id) ?? [], ({ event }) => event.seq, filter),
    readAll: async (filter) =>
      select(
        log.filter((stored) => !deleted.has(stored)),
        ({ position }) => position,
        filter,
      ),
    lastPosition: async () => log.length,
    trim: async (before) => {
      const gone = [...sessions.values()]
        .filter((session) => session.endedAt !== null && session.endedAt < before && !isActive(session))
        .flatMap(({ id }) => bySession.get(id) ?? [])
      for (const stored of gone) {
        deleted.add(stored)
        bySession.delete(stored.event.sessionId)
        trimmed = Math.max(trimmed, stored.position)
      }
      const ids = new Set(gone.map(({ event }) => event.sessionId))
      for (const { id, sessionId, state } of requests.values())
        if (ids.has(sessionId) && state === 'resolved') requests.delete(id)
      return gone.length
    },
    gapBehind: async (sessionId, after) => {
      const next =
        sessionId === undefined
          ? nextPosition(after)
          : (bySession.get(sessionId)?.[0]?.event.seq ?? (sessions.get(sessionId)?.lastSeq ?? 0) + 1)
      return next > after + 1 ? { after, next } : null
    },

    session: async (id) => sessions.get(id) ?? null,
    activeSessions: async () =>
      [...sessions.values()]
        .filter((session) => session.kind === 'managed' && isActive(session))
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    sessions: async ({
      state,
      kind,
      cwd,
      claudeSessionId: claude,
      externalId,
      isActive: active,
      text,
      before,
      limit,
    } = {}) =>
      [...sessions.values()]
        .toReversed()
        .filter((session) => state === undefined || session.state === state)
        .filter((session) => kind === undefined || session.kind === kind)
        .filter((session) => cwd === undefined || session.cwd === cwd)
        .filter((session) => claude === undefined || session.claudeSessionId === claude)
        .filter((session) => externalId === undefined || session.externalId === externalId)
        .filter((session) => active === undefined || isActive(session) === active)
        .filter((session) => text === undefined || searchedText(session).includes(text.toLowerCase()))
        .filter((session) => before === undefined || session.id < before)
        .slice(0, limit),
    forgetKeys: async (scope, before) => {
      for (const name of keys.keys()) {
        const [ofScope = '', key = ''] = JSON.parse(name) as string[]
        if (ofScope === scope && key < before) keys.delete(name)
      }
    },
    deleteSession: async (id) => {
      for (const request of requests.values()) if (request.sessionId === id) requests.delete(request.id)
      for (const [key, { value }] of keys)
        if (value === id || key.startsWith(JSON.stringify([`messages:${id}`]).slice(0, -1))) keys.delete(key)
      for (const stored of bySession.get(id) ?? []) deleted.add(stored)
      bySession.delete(id)
      options.delete(id)
      secrets.delete(id)
      return sessions.delete(id)
    },
    counts: async () => {
      const states = groupBy(sessions.values(), (session) => session.state)
      const pending = [...requests.values()].filter((request) => request.state === 'pending')
      return {
        sessions: Object.fromEntries([...states].map(([state, members]) => [state, members.length])),
        pendingRequests: pending.length,
        events: log.length,
      }
    },
    transcripts: async () => [...transcripts.values()],
    saveTranscripts: async (records) => {
      for (const record of records) transcripts.set(record.path, record)
    },
    knownConversations: async (ids) =>
      ids.flatMap((claudeSessionId) => {
        const session = [...sessions.values()].find((one) => one.claudeSessionId === claudeSessionId)
        if (!session) return []
        const { id: sessionId, kind, conversation } = session
        return [{ claudeSessionId, sessionId, kind, isAdopted: conversation.kind === 'adopted' }]
      }),
    usage: async (since) =>
      sumUsage(
        log.filter(({ event }) => sessions.has(event.sessionId)),
        sessions,
        since,
      ),
    search: async ({ text, sessionId, before, limit, maxBytes }) => {
      const phrases = phrasesOf(text).map((words) => ` ${words.join(' ')}`)
      if (phrases.length === 0) return []
      const found = log
        .toReversed()
        .filter((stored) => !deleted.has(stored))
        .filter(({ position }) => before === undefined || position < before)
        .filter(({ event }) => sessionId === undefined || event.sessionId === sessionId)
        .filter(({ event }) => {
          const words = ` ${splitWords(textIn(event) ?? '')}`
          return phrases.every((phrase) => words.includes(phrase))
        })
      return upTo(maxBytes, found.slice(0, limit), ({ event }) => event.data)
    },
    request: async (id) => requests.get(id) ?? null,
    requests: async ({ state, sessionId, toolUseId, after, limit, maxBytes } = {}) => {
      const found = [...requests.values()]
        .filter((request) => toolUseId === undefined || request.toolUseId === toolUseId)
        .filter((request) => state === undefined || request.state === state)
        .filter((request) => sessionId === undefined || request.sessionId === sessionId)
        .filter((request) => after === undefined || request.id > after)
        .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      return upTo(maxBytes, found.slice(0, limit ?? DEFAULT_LIMIT), (request) => request)
    },

    externalIds: async () =>
      new Map([...sessions.values()].flatMap(({ id, externalId }) => (externalId ? [[id, externalId]] : []))),

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

    trust: async (workspace, audit) => {
      workspaces.set(workspace.path, workspace)
      addAudit(audit)
    },
    distrust: async (path, audit) => {
      workspaces.delete(path)
      addAudit(audit)
    },
    trustedWorkspaces: async () =>
      [...workspaces.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1)),

    addProcess: (record) => void processes.set(record.pid, record),
    removeProcess: (pid) => void processes.delete(pid),
    processes: async () => [...processes.values()],

    addCredential: async (credential, audit) => {
      credentials.set(credential.id, credential)
      addAudit(audit)
    },
    credentials: async (now) =>
      [...credentials.values()].filter(({ expiresAt }) => expiresAt === null || expiresAt > now),
    removeCredential: async (id, audit) => {
      addAudit(audit)
      const gone = new Set([id])
      for (let size = 0; size < gone.size; ) {
        size = gone.size
        for (const { id: child, parentId } of credentials.values())
          if (parentId !== null && gone.has(parentId)) gone.add(child)
      }
      return [...gone].filter((one) => credentials.delete(one))
    },
    pruneCredentials: async (now) => {
      for (const { id, expiresAt } of credentials.values())
        if (expiresAt !== null && expiresAt <= now) credentials.delete(id)
    },
    credential: async (digest, now) =>
      [...credentials.values()].find(
        (credential) =>
          credential.digest === digest && (credential.expiresAt === null || credential.expiresAt > now),
      ) ?? null,

    addAudit: async (entry) => addAudit(entry),
    audit: async ({ sessionId, kinds, before, limit } = {}) =>
      chain
        .toReversed()
        .filter((row) => before === undefined || row.number < before)
        .filter((row) => sessionId === undefined || recordOf(row).sessionId === sessionId)
        .filter((row) => kinds === undefined || kinds.includes(recordOf(row).kind))
        .slice(0, limit),
    isAuditSealed: async () => isSealed,
    setAuditSealed: async () => {
      isSealed = true
    },
    auditHead: async () => {
      const { number, hash } = chain.at(-1) ?? EMPTY
      return { number, hash }
    },

    close: async () => {},
  }
}

function sumUsage(
  events: readonly StoredEvent[],
  sessions: ReadonlyMap<string, Session>,
  since: string | undefined,
): UsageSum[] {
  const sums = new Map<string, UsageSum>()
  for (const { event } of events) {
    const hour = Math.floor(Date.parse(event.at) / 3_600_000)
    if (since !== undefined && hour < Math.floor(Date.parse(since) / 3_600_000)) continue
    for (const { model, source, usage } of usageIn(event)) {
      const place = {
        hour,
        sessionId: event.sessionId,
        cwd: sessions.get(event.sessionId)?.cwd ?? '',
        model,
        source,
      }
      const key = JSON.stringify([hour, event.sessionId, model, source])
      const known = sums.get(key)
      const sum = (name: keyof typeof usage) => (known?.[name] ?? 0) + usage[name]
      const added = {
        ...place,
        inputTokens: sum('inputTokens'),
        outputTokens: sum('outputTokens'),
        cacheReadInputTokens: sum('cacheReadInputTokens'),
        cacheCreationInputTokens: sum('cacheCreationInputTokens'),
        costUsd: sum('costUsd'),
      }
      sums.set(key, { ...added, isPriced: isPriced(added) })
    }
  }
  return [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum)
}

function select(
  events: readonly StoredEvent[],
  cursor: (event: StoredEvent) => number,
  filter: EventFilter = {},
) {
  const { after = 0, limit, types, maxBytes } = filter
  const found = events.filter(
    (stored) => cursor(stored) > after && (!types || types.includes(stored.event.type)),
  )
  return upTo(maxBytes, found.slice(0, limit), ({ event }) => event.data)
}

/** Ends with the item that reaches `maxBytes`. */
function upTo<Item>(maxBytes: number | undefined, items: Item[], contentOf: (item: Item) => unknown): Item[] {
  if (maxBytes === undefined) return items
  let bytes = 0
  const last = items.findIndex((item) => {
    bytes += JSON.stringify(contentOf(item)).length
    return bytes >= maxBytes
  })
  return last < 0 ? items : items.slice(0, last + 1)
}

function byValue(one: StoredSecret, other: StoredSecret): number {
  return one.value < other.value ? -1 : 1
}
