/** Commits, merges, rebases and pushes a worktree. A conflict aborts and leaves both sides as they were. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runGit } from '../lib/git/run-git.js'
import type { ChangeWorktree, SessionWorktree, Worktree } from '../protocol/worktree/worktree.js'
import { failed, type UserGit, type UserGitDeps } from './user-git.js'

export interface ActionDeps extends Pick<UserGitDeps, 'env'> {
  /** The absolute path of `gh`; null if there is none. */
  gh: string | null
  /** Files that were brought along: they are not committed. */
  brought: readonly string[]
}

interface Done {
  output: string
  url?: string | null
}

export async function carryOut(
  git: UserGit,
  worktree: SessionWorktree,
  command: ChangeWorktree,
  deps: ActionDeps,
): Promise<Done> {
  switch (command.action) {
    case 'commit':
      return { output: await commit(git, worktree, deps.brought, command.message) }
    case 'merge':
      return { output: await merge(git, worktree) }
    case 'rebase':
      return { output: await rebase(git, worktree) }
    default:
      return push(git, worktree, command, deps)
  }
}

async function commit(
  git: UserGit,
  { path, name }: SessionWorktree,
  brought: readonly string[],
  message = `Work of ${name}`,
): Promise<string> {
  await git.run(path, 'add', '--all')
  if (brought.length > 0) await git.attempt(path, 'reset', '--quiet', '--', ...brought)
  const { code } = await git.attempt(path, 'diff', '--cached', '--quiet')
  if (code === 0) throw failed('There is nothing to commit.')
  return git.run(path, 'commit', '--quiet', '-m', message)
}

/** Into the base, where that is checked out. */
async function merge(git: UserGit, { branch, base, path }: SessionWorktree): Promise<string> {
  await expectClean(git, path)
  const place = (await workingTrees(git, path)).find((one) => one.branch === base)
  if (!place) throw failed(`${base} is not checked out in any working tree. Check it out, then merge.`)
  await expectClean(git, place.path)
  const { code, stdout, stderr } = await git.attempt(place.path, 'merge', '--no-edit', branch)
  if (code === 0) return stdout.toString('utf8')
  const files = await conflictsIn(git, place.path)
  await git.attempt(place.path, 'merge', '--abort')
  throw failed(
    `The merge has conflicts, and was undone: ${files.join(', ') || stderr.trim()}. Rebase first, or merge by hand.`,
    { files },
  )
}

async function rebase(git: UserGit, { path, base }: SessionWorktree): Promise<string> {
  await expectClean(git, path)
  const { code, stdout, stderr } = await git.attempt(path, 'rebase', base)
  if (code === 0) return stdout.toString('utf8')
  const files = await conflictsIn(git, path)
  await git.attempt(path, 'rebase', '--abort')
  throw failed(
    `The rebase has conflicts, and was undone: ${files.join(', ') || stderr.trim()}. Ask the agent to resolve them, or rebase by hand.`,
    { files },
  )
}

async function push(
  git: UserGit,
  { path, branch, base, repository }: SessionWorktree,
  { message, pullRequest }: ChangeWorktree,
  { gh, env }: ActionDeps,
): Promise<Done> {
  const remote = await remoteFor(git, repository, base)
  const { code, stdout, stderr } = await git.attempt(path, 'push', '--set-upstream', '--', remote, branch)
  if (code !== 0) throw failed(`git push failed: ${stderr.trim().slice(0, 2_000)}`)
  const pushed = `${stdout.toString('utf8')}${stderr}`
  if (!pullRequest) return { output: pushed }
  if (gh === null)
    throw failed('The branch was pushed, but gh is not installed: open the pull request in the browser.')
  const text =
    message === undefined ? ['--fill'] : ['--title', message.split('\n')[0] ?? '', '--body', message]
  const made = await runGit({
    program: gh,
    args: ['pr', 'create', '--head', branch, '--base', base, ...text],
    cwd: path,
    env: { ...env, GH_PROMPT_DISABLED: '1' },
    maxBytes: 1024 * 1024,
    timeoutMs: 120_000,
  })
  const output = made.stdout.toString('utf8')
  if (made.code !== 0)
    throw failed(`The branch was pushed, but gh failed: ${made.stderr.trim().slice(0, 2_000)}`)
  return { output: `${pushed}${output}`, url: /https:\/\/\S+/.exec(output)?.[0] ?? null }
}

/** That of the base, `origin`, or the first. */
async function remoteFor(git: UserGit, repository: string, base: string): Promise<string> {
  const remotes = (await git.run(repository, 'remote')).split('\n').filter(Boolean)
  const { stdout } = await git.attempt(repository, 'config', '--get', `branch.${base}.remote`)
  const remote = [stdout.toString('utf8').trim(), 'origin', ...remotes].find((name) => remotes.includes(name))
  if (remote === undefined) throw failed('The repository has no remote to push to.')
  // Git would take it for an option, and some options run programs.
  if (remote.startsWith('-'))
    throw failed(`The remote ${JSON.stringify(remote)} has no name that can be used.`)
  return remote
}

/** All working trees of the repository, the main one first. */
export async function workingTrees(
  git: UserGit,
  folder: string,
): Promise<Pick<Worktree, 'path' | 'branch' | 'commit' | 'isMain'>[]> {
  const output = await git.run(folder, 'worktree', 'list', '--porcelain')
  const parts = output.split('\n\n').filter((part) => part.trim() !== '')
  return parts.map((part, index) => {
    const lines = part.split('\n')
    const field = (name: string) =>
      lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? null
    return {
      path: field('worktree') ?? '',
      branch: field('branch')?.replace('refs/heads/', '') ?? null,
      commit: field('HEAD'),
      isMain: index === 0,
    }
  })
}

/** Files of the git folder that say what is under way. To abort a merge or rebase of ours would abort that one. */
const UNDER_WAY = {
  MERGE_HEAD: 'A merge',
  CHERRY_PICK_HEAD: 'A cherry-pick',
  REVERT_HEAD: 'A revert',
  'rebase-merge': 'A rebase',
  'rebase-apply': 'A rebase',
  BISECT_LOG: 'A bisect',
} as const

async function expectClean(git: UserGit, path: string): Promise<void> {
  const own = (await git.run(path, 'rev-parse', '--absolute-git-dir')).trim()
  for (const [name, what] of Object.entries(UNDER_WAY))
    if (existsSync(join(own, name)))
      throw failed(`${what} is under way in ${path}. Finish or abort it first.`)
  const output = await git.run(path, 'status', '--porcelain', '-z', '--untracked-files=no')
  const changed = output.split('\0').filter(Boolean)
  if (changed.length > 0)
    throw failed(
      `${path} has ${changed.length} files with changes that are not committed. Commit them first.`,
    )
}

async function conflictsIn(git: UserGit, path: string): Promise<string[]> {
  const { stdout } = await git.attempt(path, 'diff', '--name-only', '--diff-filter=U', '-z')
  return stdout.toString('utf8').split('\0').filter(Boolean)
}
