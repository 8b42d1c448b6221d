/** The operations for users and programs. Every way in (HTTP, command line, library) goes through here. */

import { auditEntry } from '../audit/entry.js'
import { impatient } from '../journal/journal.js'
import { HubError } from '../protocol/error.js'
import { textIn } from '../protocol/event/event-text.js'
import { type Authority, replaceServers, unforkable } from '../protocol/option/option-role.js'
import { reason as codedReason, saying } from '../protocol/reason/reason.js'
import { type SearchResult, snippetOf } from '../protocol/search.js'
import type { UsageRow } from '../protocol/usage/usage.js'
import type { Actor } from '../protocol/value.js'
import { sessionName } from '../protocol/view/session-name.js'
import { CLIENT_WAIT_MS } from '../store/port.js'
import { groupUsage } from '../usage/group.js'
import { mergeUsage } from '../usage/merge.js'
import { createAuditAlarm } from './audit/alarm.js'
import { auditFields } from './audit/fields.js'
import { auditPage } from './audit/page.js'
import { createHubChanges } from './changes.js'
import { createCompose } from './compose/compose.js'
import { lastMessage } from './last-message.js'
import { lastToKeep } from './message-anchor.js'
import { appendOnce, createMessages } from './messages.js'
import { createOptionRights } from './option-right.js'
import { refuseOwnHome } from './own-home.js'
import { readPage } from './page.js'
import { createPolicies } from './policies.js'
import type { Hub, HubDeps } from './port.js'
import { createSessionChange } from './session-change.js'
import { createSessionLookup, isUuid } from './session-lookup.js'
import { createSessions } from './sessions.js'
import { stopSession } from './stop-session.js'
import { searchEvents } from './visible-search.js'
import { createWorkspaceTrust } from './workspace-trust.js'
import { createHubWorktrees } from './worktrees.js'

export function createHub(hubDeps: HubDeps): Hub {
  const deps = { ...hubDeps, journal: impatient(hubDeps.journal, CLIENT_WAIT_MS) }
  const { journal, store, inbox, bus, clock } = deps
  const messages = createMessages(deps)
  const optionRights = createOptionRights(deps)
  const { ownHomes } = deps.policyResolver
  const lookup = createSessionLookup(deps)
  const { session, managed } = lookup
  const { change, setOptions } = createSessionChange({ ...deps, optionRights, lookup })
  const alarm = createAuditAlarm(deps)
  const worktrees = createHubWorktrees({ ...deps, session })
  const sessions = createSessions({ ...deps, messages, ownHomes, worktrees })

  const resume: Hub['resume'] = async (id, { at, continue: goOn }, actor) => {
    const known = isUuid(id) ? await lookup.byConversation(id) : await session(id)
    if (known?.kind === 'managed') refuseOwnHome(known.cwd, known.permissionMode, ownHomes)
    // Continues a terminal's session here, as a session of its own.
    const {
      id: sessionId,
      state,
      cwd,
    } = known?.kind === 'managed'
      ? known
      : await session(await sessions.adopt(known?.claudeSessionId ?? id, actor))
    await store.addAudit(
      auditEntry({
        at: now(),
        kind: 'session.resumed',
        sessionId,
        ...auditFields(actor, at === undefined ? cwd : `${cwd}, at ${at}`),
      }),
    )
    if (state === 'ended')
      await appendOnce(journal, sessionId, [{ type: 'session.changed', data: { state: 'idle' } }], {})
    if (at !== undefined) await resumeAt(sessionId, at)
    if (goOn) await continueTurn(sessionId, actor)
    return session(sessionId)
  }

  /** Continues an interrupted turn. A failed one has come to its end: its message is sent again. */
  async function continueTurn(sessionId: string, actor: Actor): Promise<void> {
    const found = await session(sessionId)
    const { failure, isInterrupted, queue } = found
    if (failure === null || isInterrupted) return bus.call({ type: 'session.continue', sessionId })
    if (queue.length > 0) return
    const again = await lastMessage(store, found)
    // Idempotent: a failure is retried once, however often the button is pressed.
    if (again) await messages.send(found, { ...again, idempotencyKey: `retry ${failure.at}` }, actor)
  }

  /** The process that remembers too much is ended; the next one begins behind the message. */
  async function resumeAt(sessionId: string, at: string): Promise<void> {
    const keep = await lastToKeep(store, sessionId, at)
    if (keep === null) {
      throw new HubError(
        'message_invalid',
        'Cannot resume before the first message. Start a new session instead.',
      )
    }
    await bus.call({ type: 'session.park', sessionId })
    await journal.append(sessionId, [{ type: 'session.changed', data: { resumeAt: keep } }])
  }

  const now = () => new Date(clock.now()).toISOString()

  async function withName(row: UsageRow): Promise<UsageRow> {
    const of = row.key.startsWith('ses_') ? await store.session(row.key) : null
    return of ? { ...row, name: sessionName(of) } : row
  }

  const policies = createPolicies({
    ...deps,
    book: deps.policyResolver,
    watch: deps.policyWatch,
    session,
    request: (id) => inbox.request(id),
  })

  const changes = createHubChanges({ ...deps, messages, session })

  return {
    inbox,
    journal,
    storage: store.storage,
    policies,
    compose: createCompose({ store, bus, clock, session }),
    session,
    resume,
    change,
    async createSession(command, actor, authority = 'owner') {
      if (command.options) optionRights.check(command.options, authority)
      return session(await sessions.create(command, actor, authority))
    },
    startMode: (command) => sessions.startMode(command),
    sessions: lookup.list,
    async events(sessionId, filter) {
      const { id } = await session(sessionId)
      return (await store.readSession(id, filter)).map(({ event }) => event)
    },
    async eventPage(sessionId, { after, limit, types }) {
      const { id } = await session(sessionId)
      const { items, next } = await readPage(
        { after, limit },
        (page) => store.readSession(id, { ...page, ...(types && { types }) }),
        ({ event }) => event.seq,
      )
      return { events: items.map(({ event }) => event), next }
    },
    async requestPage({ after, limit, ...filter }) {
      const { items, next } = await readPage(
        { after, limit },
        (page) => store.requests({ ...filter, ...page }),
        ({ id }) => id,
      )
      return { requests: items, next }
    },
    gapBehind: async (sessionId, after) => store.gapBehind((await session(sessionId)).id, after),
    lastPosition: () => store.lastPosition(),
    async externalIds(sessionIds) {
      if (!sessionIds) return store.externalIds()
      const named = await Promise.all(sessionIds.map((id) => store.session(id)))
      return new Map(named.flatMap((of) => (of?.externalId ? [[of.id, of.externalId]] : [])))
    },
    async send(id, command, actor) {
      const found = await session(id)
      if (found.kind === 'managed') refuseOwnHome(found.cwd, found.permissionMode, ownHomes)
      return messages.send(found, command, actor)
    },
    cancelMessage: async (id, messageId, actor) =>
      messages.cancel(await session(id), messageId, `Cancelled by ${actor.who}.`),
    editMessage: async (id, messageId, text, actor) =>
      messages.edit(await session(id), messageId, text, actor),
    async interrupt(id) {
      const { id: sessionId } = await managed(id)
      await bus.call({ type: 'session.interrupt', sessionId })
      return session(sessionId)
    },
    async stop(id, reason, actor) {
      const { id: sessionId, state } = await managed(id)
      const why = reason === undefined ? saying(codedReason('end.stopped', { who: actor.who })) : { reason }
      if (state !== 'ended') await stopSession(deps, sessionId, why)
      return session(sessionId)
    },
    async fork(id, command, actor, authority = 'owner') {
      const found = await session(id)
      const options = await store.options(found.id)
      refuseCopy(unforkable(options, authority, deps.allowedVariables), authority)
      return session(await sessions.fork(found, command, actor, options))
    },
    async rewind(id, command, actor, authority = 'owner') {
      const found = await managed(id)
      await lastToKeep(store, found.id, command.to) // Rejects where it has read no such message.
      return changes.rewind(found, command, actor, authority)
    },
    changes,
    worktrees,
    async stopTask(id, taskId) {
      const { id: sessionId, tasks, agents } = await managed(id)
      // An agent that this one has called is a session of its own.
      if (agents[taskId] && taskId.startsWith('ses_')) {
        await stopSession(deps, taskId, saying(codedReason('end.stopped-agent')))
        return
      }
      if (!tasks[taskId] && !agents[taskId]) {
        throw new HubError(
          'task_not_found',
          `Session ${sessionId} runs no task ${taskId}. Its snapshot lists running tasks and agents.`,
          {
            sessionId,
            taskId,
          },
        )
      }
      await bus.call({ type: 'session.stop_task', sessionId, taskId })
    },
    async inspect(id, what) {
      const { id: sessionId } = await managed(id)
      return bus.call({ type: 'session.inspect', sessionId, what })
    },
    async setMcpServers(id, { servers = {}, configured = [] }, actor, authority = 'owner') {
      optionRights.check({ configuredServers: configured }, authority)
      const { id: sessionId } = await managed(id)
      const given = { mcpServers: servers, configuredServers: configured }
      await setOptions(sessionId, replaceServers(await store.options(sessionId), given, authority), actor)
      // The next process of the session starts with them as well.
      const all = { ...optionRights.serversNamed(configured), ...servers }
      return bus.call({ type: 'session.set_mcp_servers', sessionId, servers: all })
    },
    ...createWorkspaceTrust({ ...deps, worktrees }),
    audit: (query) => auditPage(store, query),
    auditAlarm: () => alarm.find(),
    acceptAudit: (reason, actor) => alarm.accept(reason, actor),
    trustedWorkspaces: () => store.trustedWorkspaces(),
    tools: () => bus.call({ type: 'tools.list' }),
    async deleteSession(id, actor) {
      const { id: sessionId, kind, state, name, cwd } = await session(id)
      if (kind === 'managed' && state !== 'ended')
        await stopSession(deps, sessionId, saying(codedReason('end.deleted', { who: actor.who })))
      const subject = name ?? cwd
      await store.addAudit(
        auditEntry({
          at: now(),
          kind: 'session.deleted',
          sessionId,
          ...auditFields(actor, subject),
          verdict: 'deleted',
        }),
      )
      await store.deleteSession(sessionId)
      // Without a runner they are deleted when one is there: a sweep finds snapshots without a session.
      await bus.call({ type: 'changes.forget', sessionId, cwd }).catch(() => {})
      return sessionId
    },
    search: (filter, redact) =>
      searchEvents(store, filter, redact, async (event): Promise<SearchResult> => {
        const { sessionId, seq, at, type } = event
        const of = await store.session(sessionId)
        const snippet = snippetOf(textIn(event) ?? '', filter.text)
        const { title = null, name = null, cwd = '' } = of ?? {}
        return { sessionId, title, name, cwd, seq, at, type, snippet }
      }),
    async usage({ since, ...grouping }) {
      const read = await bus.call({ type: 'usage.read', ...(since !== undefined && { since }) })
      const known = await store.knownConversations([...new Set(read.map(({ sessionId }) => sessionId))])
      const sums = mergeUsage(await store.usage(since), read, known)
      const report = groupUsage(sums, grouping)
      return grouping.by === 'session'
        ? { ...report, usage: await Promise.all(report.usage.map(withName)) }
        : report
    },
    counts: () => store.counts(),
    terminalSessions: () => bus.call({ type: 'terminals.list' }),
    hookStatus: () => bus.call({ type: 'hooks.status' }),
    transcriptStatus: () => bus.call({ type: 'transcripts.status' }),
    holdTerminal: (lineId, signal) => bus.call({ type: 'terminals.hold', lineId }, signal),
  }
}

function refuseCopy(names: readonly string[], role: Authority): void {
  if (names.length === 0) return
  throw new HubError(
    'role_insufficient',
    `The session has options that only an admin can set: ${names.join(', ')}. Forking it requires the role admin. Your role is ${role}.`,
    { needed: 'admin', role, options: names },
  )
}
