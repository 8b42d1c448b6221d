/**
 * The user's git on the user's repository, for what a user asks for: its configuration takes effect, so in a repository
 * that is not trusted it must be one that runs nothing, and hooks are off. A push to a folder would run the hooks of
 * the repository there, so that is off too.
 */

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

export class UserGit {
  readonly #deps: UserGitDeps
  readonly #isTrusted: boolean

  constructor(deps: UserGitDeps, isTrusted: boolean) {
    this.#deps = deps
    this.#isTrusted = isTrusted
  }

  attempt(cwd: string, ...args: string[]): Promise<GitResult> {
    const { program, env } = this.#deps
    const quiet = this.#isTrusted ? [] : ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false']
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
