/** The operations for users and programs. Every way in (HTTP, command line, library) goes through here. */

import { recordOf } from '../audit/chain.js'
import { auditEntry } from '../audit/entry.js'
import { impatient } from '../journal/journal.js'
import type { AuditRecord } from '../protocol/audit.js'
import { LOCAL_MACHINE } from '../protocol/choice.js'
import { HubError } from '../protocol/error.js'
import { textIn } from '../protocol/event/event-text.js'
import { isFreer } from '../protocol/option/mode-freedom.js'
import { hideSecrets } from '../protocol/option/option.js'
import {
  type Authority,
  changeOptions,
  liftedLimits,
  replaceServers,
  type StoredOptions,
  unforkable,
} from '../protocol/option/option-role.js'
import { reason as codedReason, saying } from '../protocol/reason/reason.js'
import { type SearchResult, snippetOf } from '../protocol/search.js'
import type { Session } from '../protocol/session.js'
import type { UsageRow } from '../protocol/usage/usage.js'
import type { Actor, PermissionMode } from '../protocol/value.js'
import { sessionName } from '../protocol/view/session-name.js'
import { CLIENT_WAIT_MS } from '../store/port.js'
import { groupUsage } from '../usage/group.js'
import { mergeUsage } from '../usage/merge.js'
import { auditPage } from './audit-page.js'
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
import { createSessions } from './sessions.js'
import { stopSession, unlessNoRunner } from './stop-session.js'
import { listVisible, searchEvents } from './visible-search.js'
import { createHubWorktrees } from './worktrees.js'

export function createHub(hubDeps: HubDeps): Hub {
  const deps = { ...hubDeps, journal: impatient(hubDeps.journal, CLIENT_WAIT_MS) }
  const { journal, store, inbox, bus, clock } = deps
  const messages = createMessages(deps)
  const optionRights = createOptionRights(deps)
  const { ownHomes } = deps.policyResolver
  const worktrees = createHubWorktrees({ ...deps, session })
  const sessions = createSessions({ ...deps, messages, ownHomes, worktrees })

  /** Alarms are raised before the hub is there: it is looked for once. */
  let alarm: AuditRecord | null | undefined
  async function findAlarm(): Promise<AuditRecord | null> {
    if (alarm !== undefined) return alarm
    const [newest] = await store.audit({ kind: ['audit.alarm', 'audit.accepted'], limit: 1 })
    const record = newest ? recordOf(newest) : null
    alarm = record?.kind === 'audit.alarm' ? record : null
    return alarm
  }

  async function session(id: string): Promise<Session> {
    const found = isUuid(id) ? await byConversation(id) : await inOrder(id)
    if (found) return found
    throw new HubError(
      'session_not_found',
      `No session ${id}. List sessions with "signalbox sessions --all".`,
      {
        sessionId: id,
      },
    )
  }

  async function byConversation(claudeSessionId: string): Promise<Session | null> {
    const ours = await store.sessions({ claudeSessionId, kind: 'managed', limit: 1 })
    const [found] = ours.length > 0 ? ours : await store.sessions({ claudeSessionId, limit: 1 })
    return found ? inOrder(found.id) : null
  }

  /** After a start: as it is when it is recovered, or as the previous run has left it while nothing can be stored. */
  async function inOrder(id: string): Promise<Session | null> {
    await bus.call({ type: 'session.recovered', sessionId: id }).catch(() => {})
    return journal.session(id)
  }

  /** A list shows no session as the previous run has left it: after a start those in it are recovered first. */
  const list: Hub['sessions'] = async (filter, redact) => {
    const find = () => (redact ? listVisible(store, filter, redact) : store.sessions(filter))
    let found = await find()
    // Their states may have changed, and with them what the filter finds.
    while (await areRecovered(found.map(({ id }) => id))) found = await find()
    return found
  }

  /** Without a runner nothing is being recovered. */
  async function areRecovered(sessionIds: string[]): Promise<boolean> {
    return bus.call({ type: 'sessions.recovered', sessionIds }).catch(unlessNoRunner)
  }

  /** A session that we control. A session of a terminal is controlled there. */
  async function managed(id: string): Promise<Session> {
    const found = await session(id)
    if (found.kind === 'managed') return found
    throw new HubError(
      'session_observed',
      `Session ${found.id} runs in a terminal and is read-only here. Do this in the terminal, or run "signalbox resume" after it has ended there.`,
      { sessionId: found.id },
    )
  }

  const resume: Hub['resume'] = async (id, { at, continue: goOn }, actor) => {
    const known = isUuid(id) ? await byConversation(id) : await session(id)
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

  /** Written down first, with who has done it: no process is started with options that are in no audit. */
  async function setOptions(sessionId: string, stored: StoredOptions, by: Actor): Promise<void> {
    const data = { options: hideSecrets(stored.options), by }
    const { cwd } = await session(sessionId)
    await deps.learnSecrets({ id: sessionId, cwd }, stored.options)
    await journal.append(sessionId, [{ type: 'session.changed', data }])
    await store.setOptions(sessionId, stored)
  }

  const change: Hub['change'] = async (
    id,
    { title, externalId, isPinned, isArchived, isMuted, tags, options, ...rest },
    actor,
    authority = 'owner',
  ) => {
    if (options !== undefined) optionRights.check(options, authority)
    const { id: sessionId, cwd } = await session(id)
    if (rest.permissionMode !== undefined) refuseOwnHome(cwd, rest.permissionMode, ownHomes)
    if (externalId !== undefined) {
      await managed(sessionId)
      await appendOnce(journal, sessionId, [{ type: 'session.changed', data: { externalId } }], {})
    }
    if (title !== undefined) await journal.append(sessionId, [{ type: 'session.changed', data: { title } }])
    const kept = {
      ...(isPinned !== undefined && { isPinned }),
      ...(isArchived !== undefined && { isArchived }),
      ...(isMuted !== undefined && { isMuted }),
      ...(tags !== undefined && { tags: [...new Set(tags)] }),
    }
    if (Object.keys(kept).length > 0)
      await journal.append(sessionId, [{ type: 'session.changed', data: { ...kept, by: actor } }])
    if (options !== undefined || Object.keys(rest).length > 0) await managed(sessionId)
    if (options !== undefined) {
      const before = await store.options(sessionId)
      refuseLifting(liftedLimits(before, options, authority), authority)
      await setOptions(sessionId, changeOptions(before, options, authority), actor)
      await bus.call({ type: 'session.park', sessionId, onlyIdle: true })
    }
    if (Object.keys(rest).length > 0)
      await bus.call({ type: 'session.configure', sessionId, change: rest, by: actor })
    if (rest.permissionMode !== undefined) await narrowCalled(sessionId, rest.permissionMode, actor)
    return session(sessionId)
  }

  /** Agents that it has called, and those that they have called, do not stay freer than it has become. */
  async function narrowCalled(
    sessionId: string,
    permissionMode: PermissionMode,
    actor: Actor,
  ): Promise<void> {
    const { agents } = await session(sessionId)
    for (const id of Object.keys(agents).filter((name) => name.startsWith('ses_'))) {
      const called = await journal.session(id)
      if (called?.parentId === sessionId && isFreer(called.permissionMode, permissionMode))
        await change(id, { permissionMode }, actor)
    }
  }

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
    sessions: list,
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
    async trust(path, actor) {
      const workspace = {
        machine: LOCAL_MACHINE,
        path: await bus.call({ type: 'workspace.find', path }),
        trustedAt: new Date(clock.now()).toISOString(),
        trustedBy: actor.who,
      }
      await store.trust(
        workspace,
        auditEntry({
          at: workspace.trustedAt,
          kind: 'workspace.trusted',
          ...auditFields(actor, workspace.path),
        }),
      )
      await worktrees.followTrust(workspace.path, actor)
      return workspace
    },
    async distrust(path, actor) {
      await store.distrust(
        { machine: LOCAL_MACHINE, path },
        auditEntry({ at: now(), kind: 'workspace.distrusted', ...auditFields(actor, path) }),
      )
      await worktrees.followTrust(path, null)
      // Without a runner there are no processes either.
      await bus.call({ type: 'workspace.distrusted', path }).catch(unlessNoRunner)
    },
    audit: (query) => auditPage(store, query),
    auditAlarm: () => findAlarm(),
    async acceptAudit(reason, actor) {
      const found = await findAlarm()
      if (!found) return null
      const subject = `Alarm of entry ${found.number}`
      await store.addAudit(
        auditEntry({
          at: now(),
          kind: 'audit.accepted',
          ...auditFields(actor, subject),
          reason: reason ?? null,
        }),
      )
      alarm = null
      return found
    },
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
    holdTerminal: (lineId, signal) => bus.call({ type: 'terminals.hold', lineId }, signal),
  }
}

function refuseLifting(names: readonly string[], role: Authority): void {
  if (names.length === 0) return
  throw new HubError(
    'role_insufficient',
    `An admin has set a limit on this session: ${names.join(', ')}. Changing it requires the role admin. Your role is ${role}.`,
    { needed: 'admin', role, options: names },
  )
}

function refuseCopy(names: readonly string[], role: Authority): void {
  if (names.length === 0) return
  throw new HubError(
    'role_insufficient',
    `The session has options that only an admin can set: ${names.join(', ')}. Forking it requires the role admin. Your role is ${role}.`,
    { needed: 'admin', role, options: names },
  )
}

/** The action of a user, for the audit. */
function auditFields(actor: Actor, subject: string) {
  return { ...actor, by: 'person', subject, verdict: 'done' }
}

function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(id)
}
