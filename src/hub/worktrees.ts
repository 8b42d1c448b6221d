/** Worktrees of sessions: made when a session is created, and changed only by users. */

import { auditEntry } from '../audit/entry.js'
import type { Bus } from '../bus/port.js'
import { busySessions } from '../change/busy-sessions.js'
import type { Journal } from '../journal/journal.js'
import type { Clock } from '../lib/clock.js'
import { LOCAL_MACHINE } from '../protocol/choice.js'
import { HubError } from '../protocol/error.js'
import type { Session } from '../protocol/session.js'
import type { Actor } from '../protocol/value.js'
import { isTrusted } from '../protocol/workspace.js'
import type {
  ChangeWorktree,
  MadeWorktree,
  NewWorktree,
  SessionWorktree,
  Worktree,
  WorktreeResult,
  WorktreeStatus,
} from '../protocol/worktree/worktree.js'
import type { Store } from '../store/port.js'

export interface HubWorktreesDeps {
  journal: Journal
  store: Store
  bus: Bus
  clock: Clock
  session(id: string): Promise<Session>
}

export interface HubWorktrees {
  list(cwd: string): Promise<Worktree[]>
  status(id: string): Promise<WorktreeStatus>
  change(id: string, command: ChangeWorktree, actor: Actor): Promise<WorktreeResult>
  /** A worktree has the trust of its repository. */
  create(cwd: string, wanted: NewWorktree, suggestion: string, actor: Actor): Promise<MadeWorktree>
  discard(worktree: SessionWorktree): Promise<void>
  /** The folder was trusted, or is no longer: so are the worktrees of repositories in it. */
  followTrust(path: string, actor: Actor | null): Promise<void>
}

export function createHubWorktrees({ journal, store, bus, clock, session }: HubWorktreesDeps): HubWorktrees {
  const now = () => new Date(clock.now()).toISOString()

  async function ownWorktree(id: string): Promise<{ found: Session; worktree: SessionWorktree }> {
    const found = await session(id)
    if (found.worktree && !found.worktree.isRemoved) return { found, worktree: found.worktree }
    throw new HubError('worktree_failed', `Session ${found.id} has no worktree of its own.`, {
      sessionId: found.id,
    })
  }

  async function trust(path: string, { who, ...actor }: Actor): Promise<void> {
    const trustedAt = now()
    await store.trust(
      { machine: LOCAL_MACHINE, path, trustedAt, trustedBy: who },
      auditEntry({
        at: trustedAt,
        kind: 'workspace.trusted',
        who,
        ...actor,
        by: 'person',
        subject: path,
        verdict: 'done',
      }),
    )
  }

  async function distrust(path: string): Promise<void> {
    await store.distrust(
      { machine: LOCAL_MACHINE, path },
      auditEntry({
        at: now(),
        kind: 'workspace.distrusted',
        by: 'signalbox',
        subject: path,
        verdict: 'done',
      }),
    )
    await bus.call({ type: 'workspace.distrusted', path }).catch(() => {}) // Without a runner there are no processes.
  }

  /** Where the base is checked out: a merge changes the files there. */
  async function placesOf({ repository, base }: SessionWorktree): Promise<string[]> {
    const trees = await bus.call({ type: 'worktree.list', cwd: repository })
    return trees.filter(({ branch }) => branch === base).map(({ path }) => path)
  }

  const change: HubWorktrees['change'] = async (id, command, actor) => {
    const { found, worktree } = await ownWorktree(id)
    const { action } = command
    const places = [worktree.path, ...(action === 'merge' ? await placesOf(worktree) : [])]
    for (const cwd of places) {
      const busy = await busySessions({ cwd, machine: found.machine }, store)
      if (busy.length === 0) continue
      throw new HubError(
        'workspace_busy',
        `A session works in ${cwd === worktree.path ? 'the worktree' : cwd}. Wait until it is done, or interrupt it first.`,
        { sessionIds: busy.map((one) => one.id) },
      )
    }
    const result = await bus.call({ type: 'worktree.change', sessionId: found.id, ...command })
    const { branch, base } = worktree
    const data = { action, branch, base, by: actor, ...(result.url !== null && { url: result.url }) }
    await journal.append(found.id, [{ type: 'worktree.changed', data }])
    if (action === 'remove') await distrust(worktree.path)
    return result
  }

  return {
    list: (cwd) => bus.call({ type: 'worktree.list', cwd }),
    async status(id) {
      const { found } = await ownWorktree(id)
      return bus.call({ type: 'worktree.status', sessionId: found.id })
    },
    change,
    async create(cwd, wanted, suggestion, actor) {
      const made = await bus.call({ type: 'worktree.create', cwd, wanted, suggestion })
      if (made.isTrusted) await trust(made.worktree.path, actor)
      return made
    },
    async discard(worktree) {
      await bus.call({ type: 'worktree.discard', worktree })
      await distrust(worktree.path)
    },
    async followTrust(path, actor) {
      const known = (await store.states('worktree:')).map(({ value }) => JSON.parse(value) as SessionWorktree)
      for (const worktree of known) {
        if (!isTrusted(worktree.repository, [{ path }])) continue
        if (actor) await trust(worktree.path, actor)
        else if (!isTrusted(worktree.repository, await store.trustedWorkspaces(LOCAL_MACHINE)))
          await distrust(worktree.path)
      }
    },
  }
}
