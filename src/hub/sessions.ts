/** Creates sessions: new ones, adopted conversations, and forks. */

import type { Bus } from '../bus/port.js'
import { keyOf, type Once } from '../inbox/idempotency-key.js'
import type { Journal } from '../journal/journal.js'
import { type IdSource, uuidOf } from '../lib/id.js'
import type { AgentConfig, Agents } from '../protocol/agent.js'
import type { CreateSession, ForkSession } from '../protocol/api-body.js'
import { HubError } from '../protocol/error.js'
import type { DataOf, EventDraft } from '../protocol/event/event.js'
import { isFreer } from '../protocol/option/mode-freedom.js'
import { hideSecrets, type SessionOptions } from '../protocol/option/option.js'
import {
  type Authority,
  givenOptions,
  NO_OPTIONS,
  type StoredOptions,
} from '../protocol/option/option-role.js'
import type { Session } from '../protocol/session.js'
import { type Actor, type PermissionMode, PHASE_MODES } from '../protocol/value.js'
import type { MadeWorktree } from '../protocol/worktree/worktree.js'
import type { Store } from '../store/port.js'
import { lastToKeep } from './message-anchor.js'
import { appendOnce, type Messages } from './messages.js'
import { refuseOwnHome } from './own-home.js'
import type { HubDeps } from './port.js'
import type { HubWorktrees } from './worktrees.js'

export interface SessionsDeps {
  journal: Journal
  store: Store
  bus: Bus
  ids: IdSource
  messages: Messages
  agents: Agents
  /** Our own home, under each of its names. */
  ownHomes: readonly string[]
  learnSecrets: HubDeps['learnSecrets']
  /** Null where no session gets one: agents that call each other share a folder. */
  worktrees: Pick<HubWorktrees, 'create' | 'discard'> | null
}

export interface Sessions {
  /** The mode in which it would begin; a resumed session keeps its own. */
  startMode(command: CreateSession): Promise<PermissionMode>
  /** Resolves with the id of the session. */
  create(command: CreateSession, actor: Actor, authority: Authority): Promise<string>
  /** Adopts a conversation that was started outside Signalbox; returns its session if it already has one. */
  adopt(claudeSessionId: string, actor: Actor): Promise<string>
  /** `options`: those of the session that is copied, as far as `actor` may give them to another. */
  fork(session: Session, command: ForkSession, actor: Actor, options: StoredOptions): Promise<string>
  /** A session of a configured agent that another session has called, with its first message. */
  createChild(call: ChildSession, actor: Actor): Promise<string>
}

export interface ChildSession {
  agent: string
  message: string
  cwd: string
  parentId: string
  parentToolUseId: string | null
  budgetUsd: number
  /** It never runs in a freer mode than this. */
  atMost: PermissionMode
}

export function createSessions({
  journal,
  store,
  bus,
  ids,
  messages,
  agents,
  ownHomes,
  learnSecrets,
  worktrees,
}: SessionsDeps): Sessions {
  const findWorkspace = (path: string) => bus.call({ type: 'workspace.find', path })

  async function begin(
    id: string,
    data: DataOf<'session.created'>,
    own: {
      options: StoredOptions
      prompt?: string | undefined
      key?: Pick<Once, 'key' | 'digest'> | undefined
      made?: MadeWorktree | undefined
    },
  ): Promise<string> {
    const { options, prompt, key, made } = own
    refuseOwnHome(data.cwd, data.permissionMode, ownHomes)
    await learnSecrets({ id, cwd: data.cwd }, options.options)
    // Stored apart from the event, which every viewer sees; stored first, so that no process ever starts without them.
    if (Object.keys(options.options).length > 0) await store.setOptions(id, options)
    const message = prompt === undefined ? [] : [messages.queued({ text: prompt }, data.by)]
    const once = key === undefined ? {} : { once: { scope: 'sessions', value: id, ...key } }
    try {
      const drafts = [
        { type: 'session.created', data } as const,
        ...worktreeDrafts(made, data.by),
        ...message,
      ]
      return (await appendOnce(journal, id, drafts, once)) ?? id
    } catch (error) {
      await store.setOptions(id, NO_OPTIONS)
      throw error
    }
  }

  const create: Sessions['create'] = async (command, by, authority) => {
    const { title = null, externalId, options = {}, prompt } = command
    const agent = command.agent === undefined ? null : findAgent(command.agent)
    const asked = await findWorkspace(command.cwd)
    if (command.continue) return continueNewest(asked, command, by)
    refuseOwnHome(asked, ownMode(command), ownHomes)
    const id = ids.next('ses')
    const made =
      command.worktree && (await worktrees?.create(asked, command.worktree, title ?? prompt ?? '', by))
    const cwd = made?.cwd ?? asked
    const data: DataOf<'session.created'> = {
      kind: 'managed',
      cwd,
      title,
      ...(externalId !== undefined && { externalId }),
      model: command.model ?? agent?.model ?? null,
      permissionMode: ownMode(command),
      parentId: null,
      by,
      agent: command.agent ?? null,
      policy: command.policy ?? null,
      options: hideSecrets(options),
      conversation: { kind: 'new', id: uuidOf(id) },
    }
    const key = keyOf(by, command)
    if (!made) return begin(id, data, { options: givenOptions(options, authority), prompt, key })
    return inWorktree(id, made, () =>
      begin(id, data, { options: givenOptions(options, authority), prompt, key, made }),
    )
  }

  /** A worktree that no session gets is removed: the session could not be stored, or was created before. */
  async function inWorktree(id: string, made: MadeWorktree, beginIn: () => Promise<string>): Promise<string> {
    const discard = () => worktrees?.discard(made.worktree)
    const created = await beginIn().catch(async (error: unknown) => {
      await discard()
      throw error
    })
    if (created !== id) await discard()
    else if (made.setup !== null)
      await bus.call({ type: 'worktree.setup', sessionId: id, command: made.setup })
    return created
  }

  function ownMode({ permissionMode, phase, agent }: CreateSession): PermissionMode {
    const named = agent === undefined ? null : findAgent(agent)
    return permissionMode ?? (phase && PHASE_MODES[phase]) ?? named?.mode ?? 'default'
  }

  const startMode: Sessions['startMode'] = async (command) => {
    if (!command.continue) return ownMode(command)
    const cwd = await findWorkspace(command.cwd)
    const newest = await bus.call({ type: 'conversation.find', cwd })
    const [known] = newest
      ? await store.sessions({ claudeSessionId: newest.id, kind: 'managed', limit: 1 })
      : []
    return known?.permissionMode ?? 'default'
  }

  function findAgent(name: string): AgentConfig {
    const agent = Object.hasOwn(agents, name) ? agents[name] : undefined
    if (agent) return agent
    const known = Object.keys(agents).join(', ') || 'none'
    throw new HubError(
      'agent_not_found',
      `Unknown agent ${name} (known: ${known}). Add it under agents in config.jsonc.`,
      { agent: name },
    )
  }

  async function continueNewest(
    cwd: string,
    { prompt, externalId }: CreateSession,
    actor: Actor,
  ): Promise<string> {
    const newest = await bus.call({ type: 'conversation.find', cwd })
    if (!newest) {
      throw new HubError('conversation_not_found', `No conversation found in ${cwd}. Start a new session.`, {
        cwd,
      })
    }
    const id = await adopt(newest.id, actor)
    if (externalId !== undefined)
      await appendOnce(journal, id, [{ type: 'session.changed', data: { externalId } }], {})
    const session = await journal.session(id)
    if (session && prompt !== undefined) await messages.send(session, { text: prompt }, actor)
    return id
  }

  const adopt: Sessions['adopt'] = async (claudeSessionId, by) => {
    const [known] = await store.sessions({ claudeSessionId, kind: 'managed', limit: 1 })
    if (known) return known.id
    const found = await bus.call({ type: 'conversation.find', id: claudeSessionId })
    if (!found) {
      throw new HubError(
        'conversation_not_found',
        `Claude Code has no conversation ${claudeSessionId} on this machine. Check the id, or start a new session.`,
        {
          claudeSessionId,
        },
      )
    }
    const [observed] = await store.sessions({ claudeSessionId, kind: 'observed', limit: 1 })
    const data: DataOf<'session.created'> = {
      kind: 'managed',
      cwd: await findWorkspace(found.cwd),
      title: observed?.name ?? null,
      model: null,
      permissionMode: 'default',
      parentId: null,
      by,
      agent: null,
      options: {},
      conversation: { kind: 'adopted', id: claudeSessionId },
    }
    // Two who take it up at the same moment get the same session.
    return begin(ids.next('ses'), data, { options: NO_OPTIONS, key: { key: `adopt:${claudeSessionId}` } })
  }

  const fork: Sessions['fork'] = async (session, command, by, options) => {
    const { at, title, prompt } = command
    const id = ids.next('ses')
    const keep = at === undefined ? undefined : await lastToKeep(store, session.id, at)
    const from = session.claudeSessionId ?? session.conversation.id
    const { cwd, model, permissionMode, agent, policy } = session
    const data: DataOf<'session.created'> = {
      kind: 'managed',
      cwd,
      title: title ?? session.title,
      model,
      permissionMode,
      parentId: session.id,
      by,
      agent,
      policy,
      options: session.options,
      // Before its first message there is nothing to copy.
      conversation:
        keep === null
          ? { kind: 'new', id: uuidOf(id) }
          : { kind: 'forked', id: uuidOf(id), from, at: keep ?? null },
    }
    const key = keyOf(by, { ...command, forkOf: session.id })
    return begin(id, data, { options, prompt, key })
  }

  const createChild: Sessions['createChild'] = async (call, by) => {
    const { model = null, mode: own = 'default' } = findAgent(call.agent)
    const mode = isFreer(own, call.atMost) ? call.atMost : own
    const id = ids.next('ses')
    const options: SessionOptions = { maxBudgetUsd: call.budgetUsd }
    const data: DataOf<'session.created'> = {
      kind: 'managed',
      cwd: await findWorkspace(call.cwd),
      title: call.agent,
      model,
      permissionMode: mode,
      parentId: call.parentId,
      // A call that the agent does not name is a call all the same.
      parentToolUseId: call.parentToolUseId ?? '',
      by,
      agent: call.agent,
      options,
      conversation: { kind: 'new', id: uuidOf(id) },
    }
    return begin(id, data, { options: givenOptions(options, 'owner'), prompt: call.message })
  }

  return { startMode, create, adopt, fork, createChild }
}

function worktreeDrafts(made: MadeWorktree | undefined, by: Actor): EventDraft[] {
  if (!made) return []
  const { worktree, setup } = made
  return [
    { type: 'worktree.created', data: { ...worktree, by } },
    ...(setup === null ? [] : [{ type: 'setup.started', data: { command: setup } } as const]),
  ]
}
