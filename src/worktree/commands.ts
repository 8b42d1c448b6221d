/** Carries out what users ask about worktrees, and runs the commands that prepare them. */

import type { CommandHandlers } from '../bus/port.js'
import { AppendRefused, type Journal } from '../journal/journal.js'
import { HubError } from '../protocol/error.js'
import type { SessionWorktree, WorktreeSettings } from '../protocol/worktree/worktree.js'
import { runSetup } from './setup-command.js'
import type { Worktrees } from './worktrees.js'

export interface WorktreeCommandDeps {
  worktrees: Worktrees
  journal: Journal
  settings: WorktreeSettings
  /** Variables that every program needs. */
  env: Readonly<Record<string, string>>
  onFault(error: unknown): void
}

type WorktreeCommand = Extract<keyof CommandHandlers, `worktree.${string}`>

const MINUTE_MS = 60_000

export class WorktreeCommands {
  readonly #deps: WorktreeCommandDeps
  readonly #closed = new AbortController()
  readonly #running = new Set<Promise<void>>()

  constructor(deps: WorktreeCommandDeps) {
    this.#deps = deps
  }

  handlers(): Pick<CommandHandlers, WorktreeCommand> {
    const { worktrees } = this.#deps
    return {
      'worktree.create': ({ cwd, wanted, suggestion }) => worktrees.create(cwd, wanted, suggestion),
      'worktree.discard': ({ worktree }) => worktrees.discard(worktree),
      'worktree.list': ({ cwd }) => worktrees.list(cwd),
      'worktree.status': async ({ sessionId }) => worktrees.status(await this.#worktreeOf(sessionId)),
      'worktree.change': async (command) =>
        worktrees.change(await this.#worktreeOf(command.sessionId), command),
      'worktree.setup': async ({ sessionId, command }) => this.#begin(sessionId, command),
    }
  }

  #begin(sessionId: string, command: string): void {
    const running = this.#setUp(sessionId, command)
      .catch(this.#deps.onFault)
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  async #setUp(sessionId: string, command: string): Promise<void> {
    const { journal, settings, env } = this.#deps
    const { path } = await this.#worktreeOf(sessionId)
    const timeoutMs = settings.setupMinutes * MINUTE_MS
    const result = await runSetup(command, path, env, timeoutMs, this.#closed.signal)
    try {
      await journal.append(sessionId, [{ type: 'setup.ended', data: result }])
    } catch (error) {
      if (!(error instanceof AppendRefused)) throw error // The session was deleted meanwhile.
    }
  }

  async #worktreeOf(sessionId: string): Promise<SessionWorktree> {
    const worktree = (await this.#deps.journal.session(sessionId))?.worktree
    if (!worktree) throw new HubError('worktree_failed', `Session ${sessionId} has no worktree.`)
    const { path, repository, name, branch, base } = worktree
    return { path, repository, name, branch, base }
  }

  /** Kills commands that prepare a worktree. */
  async close(): Promise<void> {
    this.#closed.abort()
    await Promise.all(this.#running)
  }
}
