/** Makes, lists, merges and removes worktrees of the user's repositories. Each is the act of a user, never of an agent. */

import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { findGitFolder, type GitFolder, realFolder } from '../lib/git/git-folder.js'
import { findProgram } from '../lib/git/run-git.js'
import { HubError } from '../protocol/error.js'
import type {
  ChangeWorktree,
  MadeWorktree,
  NewWorktree,
  SessionWorktree,
  Worktree,
  WorktreeResult,
  WorktreeSettings,
  WorktreeStatus,
} from '../protocol/worktree/worktree.js'
import { slugOf } from '../protocol/worktree/worktree-name.js'
import type { RunnerStore } from '../store/port/runner-store.js'
import { bringFiles } from './bring-files.js'
import { failed, refuseHarmful, UserGit, type UserGitDeps } from './user-git.js'
import { carryOut, workingTrees } from './worktree-actions.js'

export interface WorktreesDeps extends Omit<UserGitDeps, 'program'> {
  program: string | null
  settings: WorktreeSettings
  store: Pick<RunnerStore, 'state' | 'setState' | 'states'>
  isTrusted(folder: string): Promise<boolean>
  /** Our own home: no worktree is made in it. */
  homes: readonly string[]
  now(): string
}

/** A worktree that we made, as it is remembered. */
export interface KnownWorktree extends SessionWorktree {
  createdAt: string
  /** Files that were brought along. A rule like `node_modules/` does not ignore a link, and it must not be committed. */
  brought?: readonly string[]
}

const KEY = 'worktree:'

export class Worktrees {
  readonly #deps: WorktreesDeps

  constructor(deps: WorktreesDeps) {
    this.#deps = deps
  }

  async create(cwd: string, wanted: NewWorktree, suggestion: string): Promise<MadeWorktree> {
    const found = repositoryAt(cwd)
    const repository = mainTop(found)
    const { git, isTrusted } = await this.#gitFor(found)
    const own = this.#deps.settings.repositories[repository]
    const base = wanted.base ?? (await this.#current(git, found.top))
    const name = await this.#freeName(git, repository, wanted.name ?? slugOf(suggestion))
    const path = this.#pathOf(repository, name)
    const branch = `signalbox/${name}`
    mkdirSync(dirname(path), { recursive: true })
    await git.run(repository, 'worktree', 'add', '--quiet', '-b', branch, path, base)
    const worktree = { path: realFolder(path), repository, name, branch, base }
    try {
      const files = wanted.bring ?? own?.bring ?? this.#deps.settings.bring
      const brought = await bringFiles(found.top, worktree.path, files)
      await this.#remember({ ...worktree, createdAt: this.#deps.now(), brought })
    } catch (error) {
      await this.#discard(git, worktree)
      throw error
    }
    // The command for all repositories, as `npm ci`, runs what the repository says: only in a trusted one.
    const setup = wanted.setup ?? own?.setup ?? (isTrusted ? this.#deps.settings.setup : null) ?? null
    const below = join(worktree.path, relative(found.top, realFolder(cwd)))
    return { worktree, cwd: existsSync(below) ? below : worktree.path, isTrusted, setup }
  }

  /** All working trees of the repository of a folder. */
  async list(cwd: string): Promise<Worktree[]> {
    const found = repositoryAt(cwd)
    const { git } = await this.#gitFor(found)
    const known = new Map((await this.known()).map((one) => [one.path, one]))
    return (await workingTrees(git, found.top)).map((one) => {
      const ours = known.get(one.path)
      return {
        ...one,
        isOurs: ours !== undefined,
        base: ours?.base ?? null,
        createdAt: ours?.createdAt ?? null,
      }
    })
  }

  async status(worktree: SessionWorktree): Promise<WorktreeStatus> {
    const { git } = await this.#open(worktree)
    const { path, branch, base, repository } = worktree
    const brought = await this.#brought(path)
    const changed = (await git.run(path, 'status', '--porcelain', '-z')).split('\0').filter(Boolean)
    const { code, stdout } = await git.attempt(
      path,
      'rev-list',
      '--left-right',
      '--count',
      `${base}...${branch}`,
    )
    const [behind = 0, ahead = 0] = code === 0 ? stdout.toString('utf8').trim().split(/\s+/).map(Number) : []
    const remotes = await git.run(repository, 'remote')
    return {
      ...worktree,
      uncommitted: changed.filter((line) => !brought.includes(line.slice(3))).length,
      ahead,
      behind,
      hasRemote: remotes.trim() !== '',
      hasGh: this.#gh() !== null,
    }
  }

  async change(worktree: SessionWorktree, command: ChangeWorktree): Promise<WorktreeResult> {
    const { action } = command
    const { git } = await this.#open(worktree)
    if (action === 'remove') {
      await this.#remove(git, worktree, command.force ?? false)
      return { action, output: '', url: null, worktree: null }
    }
    const { output, url = null } = await carryOut(git, worktree, command, {
      gh: this.#gh(),
      env: this.#deps.env,
      brought: await this.#brought(worktree.path),
    })
    return { action, output: output.trim().slice(-4_000), url, worktree: await this.status(worktree) }
  }

  async #remove(git: UserGit, worktree: SessionWorktree, isForced: boolean): Promise<void> {
    const { path, branch, repository } = worktree
    if (existsSync(path)) {
      const { uncommitted, ahead } = await this.status(worktree)
      const commits = Math.max(ahead, await this.#onlyHere(git, worktree))
      if (!isForced && uncommitted + commits > 0) throw unmerged(uncommitted, commits)
      await git.run(repository, 'worktree', 'remove', '--force', path)
    } else {
      // Its folder was deleted by other means; its branch may have the only copy of what was done in it.
      const lost = await this.#onlyHere(git, { ...worktree, path: repository })
      if (!isForced && lost > 0) throw unmerged(0, lost)
      await git.run(repository, 'worktree', 'prune')
    }
    await git.attempt(repository, 'branch', '-D', branch)
    await this.#deps.store.setState(`${KEY}${path}`, null)
  }

  /** Commits of its branch, or of what is checked out, that no other branch, tag or remote has: the base may be gone. */
  async #onlyHere(git: UserGit, { path, branch }: SessionWorktree): Promise<number> {
    const others = [`--exclude=${branch}`, '--branches', '--remotes', '--tags']
    const heads = [`refs/heads/${branch}`, 'HEAD']
    const { code, stdout } = await git.attempt(path, 'rev-list', '--count', ...heads, '--not', ...others)
    if (code === 0) return Number(stdout.toString('utf8').trim())
    const alone = await git.attempt(path, 'rev-list', '--count', 'HEAD', '--not', ...others)
    return alone.code === 0 ? Number(alone.stdout.toString('utf8').trim()) : 1
  }

  /** Those that we made and that were not removed. */
  async known(): Promise<KnownWorktree[]> {
    const rows = await this.#deps.store.states(KEY)
    return rows.map(({ value }) => JSON.parse(value) as KnownWorktree)
  }

  /** Removes a worktree that no session got. */
  async discard(worktree: SessionWorktree): Promise<void> {
    const { git } = await this.#open(worktree)
    await this.#discard(git, worktree)
  }

  async #discard(git: UserGit, { path, branch, repository }: SessionWorktree): Promise<void> {
    await git.attempt(repository, 'worktree', 'remove', '--force', path)
    rmSync(path, { recursive: true, force: true })
    await git.attempt(repository, 'worktree', 'prune')
    await git.attempt(repository, 'branch', '-D', branch)
    await this.#deps.store.setState(`${KEY}${path}`, null)
  }

  async #remember(worktree: KnownWorktree): Promise<void> {
    await this.#deps.store.setState(`${KEY}${worktree.path}`, JSON.stringify(worktree))
  }

  async #brought(path: string): Promise<readonly string[]> {
    const known = await this.#deps.store.state(`${KEY}${path}`)
    return known === null ? [] : ((JSON.parse(known) as KnownWorktree).brought ?? [])
  }

  /** The branch that is checked out, or the commit. */
  async #current(git: UserGit, top: string): Promise<string> {
    const branch = await git.attempt(top, 'symbolic-ref', '--quiet', '--short', 'HEAD')
    if (branch.code === 0) {
      const name = branch.stdout.toString('utf8').trim()
      if (name.startsWith('-'))
        throw failed(`The branch ${JSON.stringify(name)} has no name that can be used.`)
      if ((await git.attempt(top, 'rev-parse', '--verify', '--quiet', name)).code === 0) return name
      throw failed('The repository has no commit yet. Make one, then start a worktree.')
    }
    return (await git.run(top, 'rev-parse', 'HEAD')).trim()
  }

  async #freeName(git: UserGit, repository: string, wanted: string): Promise<string> {
    for (let count = 1; count < 1_000; count += 1) {
      const name = count === 1 ? wanted : `${wanted}-${count}`
      const { code } = await git.attempt(
        repository,
        'rev-parse',
        '--verify',
        '--quiet',
        `refs/heads/signalbox/${name}`,
      )
      if (code !== 0 && !existsSync(this.#pathOf(repository, name))) return name
    }
    throw failed(`There are too many worktrees named ${wanted}.`)
  }

  #pathOf(repository: string, name: string): string {
    const { folder } = this.#deps.settings
    const path =
      folder === undefined ? join(`${repository}.worktrees`, name) : join(folder, basename(repository), name)
    if (this.#deps.homes.some((home) => path === home || path.startsWith(`${home}/`)))
      throw failed('Worktrees cannot be in the home of Signalbox. Change worktrees.folder.')
    return path
  }

  async #open(worktree: SessionWorktree): Promise<{ git: UserGit }> {
    return this.#gitFor(repositoryAt(existsSync(worktree.path) ? worktree.path : worktree.repository))
  }

  async #gitFor(found: GitFolder): Promise<{ git: UserGit; isTrusted: boolean }> {
    const { program, env } = this.#deps
    if (program === null) throw failed('git is not installed.')
    const isTrusted = await this.#deps.isTrusted(mainTop(found))
    if (!isTrusted) refuseHarmful(found.common)
    return { git: new UserGit({ program, env }, isTrusted), isTrusted }
  }

  #gh(): string | null {
    return findProgram('gh', this.#deps.env['PATH'])
  }
}

function repositoryAt(cwd: string): GitFolder {
  const found = findGitFolder(realFolder(cwd))
  if (found) return found
  throw new HubError(
    'repository_not_found',
    `${cwd} is not in a git repository. Start a session without a worktree, or run "git init".`,
    { cwd },
  )
}

/** The folder of the main working tree. */
function mainTop({ common }: GitFolder): string {
  if (basename(common) === '.git') return dirname(common)
  throw new HubError('repository_not_found', 'The repository has no working tree of its own.')
}

function unmerged(uncommitted: number, ahead: number): HubError {
  return new HubError(
    'worktree_unmerged',
    `The worktree has ${uncommitted} files that are not committed and ${ahead} commits that its base does not have. They would be lost. Commit and merge them, or remove it with --force.`,
    { uncommitted, ahead },
  )
}
