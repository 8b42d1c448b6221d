/**
 * The user's git on the user's repository, for what a user asks for: its configuration takes effect, so in a repository
 * that is not trusted it must be one that runs nothing, and hooks are off. A push to a folder would run the hooks of
 * the repository there, so that is off too.
 */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readSmallText } from '../lib/git/git-folder.js'
import { type GitResult, runGit } from '../lib/git/run-git.js'
import { HubError } from '../protocol/error.js'

export interface UserGitDeps {
  /** The absolute path of git. */
  program: string
  /** Variables that every program needs. */
  env: Readonly<Record<string, string>>
}

const MAX_BYTES = 16 * 1024 * 1024
const TIMEOUT_MS = 10 * 60_000
const GUARDS = { 'core.hooksPath': '/dev/null', 'core.fsmonitor': 'false' } as const
const WITHOUT_INNER = '--ignore-submodules=dirty'

export class UserGit {
  readonly #deps: UserGitDeps
  readonly #isTrusted: boolean

  constructor(deps: UserGitDeps, isTrusted: boolean) {
    this.#deps = deps
    this.#isTrusted = isTrusted
  }

  attempt(cwd: string, ...args: string[]): Promise<GitResult> {
    const { program, env } = this.#deps
    const guards = Object.entries(GUARDS).flatMap(([key, value]) => ['-c', `${key}=${value}`])
    const quiet = this.#isTrusted ? [] : guards
    return runGit({
      program,
      args: [...quiet, '-c', 'core.quotePath=false', '-c', 'advice.detachedHead=false', ...args],
      cwd,
      env: {
        ...env,
        GIT_TERMINAL_PROMPT: '0',
        GIT_EDITOR: 'true',
        GIT_OPTIONAL_LOCKS: '0',
        GIT_LITERAL_PATHSPECS: '1',
        GIT_ALLOW_PROTOCOL: this.#isTrusted ? 'https:http:ssh:git:file' : 'https:http:ssh:git',
      },
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
    })
  }

  /** For programs that start git themselves. */
  get guards(): Record<string, string> {
    if (this.#isTrusted) return {}
    const entries = Object.entries(GUARDS).flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ])
    const count = String(Object.keys(GUARDS).length)
    return { GIT_OPTIONAL_LOCKS: '0', GIT_CONFIG_COUNT: count, ...Object.fromEntries(entries) }
  }

  /** The branch of this name, where a tag has the same name; otherwise the name. */
  async refOf(cwd: string, name: string): Promise<string> {
    const branch = `refs/heads/${name}`
    const { code } = await this.attempt(cwd, 'rev-parse', '--verify', '--quiet', branch)
    return code === 0 ? branch : name
  }

  /** Lines of `git status`. Of repositories inside that are not looked into, one line each: they may have changed. */
  async changedIn(cwd: string, ...options: string[]): Promise<string[]> {
    const inner = await this.#inner(cwd)
    const status = ['status', '--porcelain', '-z', ...(this.#isTrusted ? [] : [WITHOUT_INNER]), ...options]
    const lines = (await this.run(cwd, ...status)).split('\0').filter(Boolean)
    return [...lines, ...inner.map((path) => ` m ${path}`)]
  }

  /** Git would run in them with their own configuration, which can name programs. */
  async refuseInner(cwd: string): Promise<void> {
    const [first] = await this.#inner(cwd)
    if (first === undefined) return
    throw failed(
      `The repository is not trusted, and ${first} in it is a repository whose configuration could run programs. Fix: trust it with "signalbox trust".`,
      { path: first },
    )
  }

  /** Repositories that are recorded in this one, and checked out. */
  async #inner(cwd: string): Promise<string[]> {
    if (this.#isTrusted) return []
    const entries = (await this.run(cwd, 'ls-files', '--stage', '-z')).split('\0')
    const paths = entries.flatMap((entry) => /^160000 [^\t]*\t(.*)$/s.exec(entry)?.[1] ?? [])
    return paths.filter((path) => existsSync(join(cwd, path, '.git')))
  }

  /** Resolves with the output. Rejects with `worktree_failed` unless it exits with 0. */
  async run(cwd: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.attempt(cwd, ...args)
    const output = stdout.toString('utf8')
    if (code === 0) return output
    throw failed(`git ${args[0]} failed: ${`${stderr}${output}`.trim().slice(0, 2_000)}`)
  }
}

export function failed(message: string, details: Record<string, unknown> = {}): HubError {
  return new HubError('worktree_failed', message, details)
}

/** Sections and keys that run nothing. */
const HARMLESS =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)|remote\.(?:url|fetch|pushurl|tagopt|prune)|branch\.(?:remote|merge|rebase|description)|user\.(?:name|email)|init\.defaultbranch|pull\.(?:rebase|ff)|push\.default|extensions\.objectformat|merge\.(?:ff|conflictstyle)|color\.ui)$/

/** Refuses a repository that is not trusted if its configuration could run a program. */
export function refuseHarmful(common: string): void {
  const text = readSmallText(join(common, 'config'), 256 * 1024)
  const key = text === null ? 'config' : harmfulKey(text)
  if (key === null) return
  throw new HubError(
    'worktree_failed',
    `The repository is not trusted, and its configuration could run programs (${key}). Fix: trust it with "signalbox trust".`,
    { key },
  )
}

/** The first key that is not known to be harmless; null if all are. */
export function harmfulKey(config: string): string | null {
  let section = ''
  for (const line of config.split('\n').map((text) => text.trim())) {
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue
    const head = /^\[([\w.-]+)(?:\s+"[^"\\]*")?\]$/.exec(line)
    if (head) {
      section = head[1]?.toLowerCase() ?? ''
      continue
    }
    const name = /^([\w-]+)\s*(?:=|$)/.exec(line)?.[1]?.toLowerCase()
    if (name === undefined || !HARMLESS.test(`${section}.${name}`) || line.endsWith('\\'))
      return `${section}.${name ?? line}`
  }
  return null
}
