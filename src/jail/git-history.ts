/** Whether a repository holds protected files in its history: git shows those by content, where no mount can hide them. */

import { execFile } from 'node:child_process'
import { type BigIntStats, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isProtectedFile } from '../policy/protected.js'

export interface GitHistoryDeps {
  /** The command as a shell runs it in the jail, with the workspace's objects visible. */
  wrap(command: string, workspace: string): Promise<string | null>
}

export interface GitHistory {
  /** True only if every name that any commit, reflog or the index ever had is known, and none is protected. */
  isClean(workspace: string, gitFolder: string): Promise<boolean>
}

interface Scan {
  /** What it was made of: another signature means that something may have come in. */
  signature: string
  isClean: boolean
  /** Commits whose history is known to be clean. */
  tips: readonly string[]
}

/** A first look at a large repository takes longer; until it has ended, its history counts as not clean. */
const PATIENCE_MS = 500
const TIMEOUT_MS = 30_000
const MAX_BYTES = 32 * 1024 * 1024
const MAX_REFS = 5_000
const MAX_KNOWN_TIPS = 500
const OBJECT_NAME = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

export function createGitHistory({ wrap }: GitHistoryDeps): GitHistory {
  const scans = new Map<string, Scan>()
  const running = new Map<string, Promise<Scan>>()

  async function scan(workspace: string, gitFolder: string, signature: string): Promise<Scan> {
    const known = scans.get(gitFolder)
    const result =
      (known?.isClean && (await read(workspace, signature, known.tips))) ||
      (await read(workspace, signature, []))
    const found = result || { signature, isClean: false, tips: [] }
    scans.set(gitFolder, found)
    return found
  }

  /** Null if git could not tell. */
  async function read(workspace: string, signature: string, known: readonly string[]): Promise<Scan | null> {
    const wrapped = await wrap(listNames(known), workspace)
    const output = wrapped === null ? null : await outputOf(wrapped, workspace)
    const [tips, names, end] = output?.split('\0\n') ?? []
    if (tips === undefined || names === undefined || end !== 'ok\n') return null
    return {
      signature,
      isClean: !names.split('\n').some((name) => name !== '' && isProtectedFile(join(workspace, name))),
      tips: tips
        .split('\n')
        .filter((tip) => OBJECT_NAME.test(tip))
        .slice(0, MAX_KNOWN_TIPS),
    }
  }

  return {
    async isClean(workspace, gitFolder) {
      const signature = signatureOf(gitFolder)
      if (signature === null) return false
      const known = scans.get(gitFolder)
      if (known?.signature === signature) return known.isClean
      const scanning = running.get(gitFolder) ?? scan(workspace, gitFolder, signature)
      running.set(gitFolder, scanning)
      void scanning.finally(() => running.delete(gitFolder))
      const late = new AbortController()
      const patience = wait(PATIENCE_MS, null, { signal: late.signal, ref: false }).catch(() => null)
      const result = await Promise.race([scanning, patience])
      late.abort()
      return result?.signature === signature && result.isClean
    },
  }
}

/** Prints the tips, every name once, and `ok` if git has told all of them. */
function listNames(known: readonly string[]): string {
  const not = known.length > 0 ? ` --not ${known.join(' ')}` : ''
  return [
    'set -o pipefail',
    `git for-each-ref --format='%(objectname)'; git rev-parse HEAD 2>/dev/null`,
    String.raw`printf '\0\n'`,
    `git rev-list --objects --all --reflog --indexed-objects${not} | cut -s -d ' ' -f 2- | awk '!seen[$0]++'`,
    String.raw`status=$?; printf '\0\n'; [ $status = 0 ] && echo ok`,
  ].join('; ')
}

function outputOf(command: string, cwd: string): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { cwd, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES, env: { PATH: '/usr/bin:/bin' } }
    execFile('/bin/bash', ['-c', command], options, (error, stdout) => resolve(error ? null : stdout))
  })
}

/** Changes with every commit, fetch, stash, reset and `git add`. Null: there are too many references, or submodules. */
function signatureOf(gitFolder: string): string | null {
  if (namesIn(join(gitFolder, 'modules')).length > 0) return null
  const files = [
    'HEAD',
    'index',
    'packed-refs',
    'logs/HEAD',
    'FETCH_HEAD',
    'ORIG_HEAD',
    'objects/pack',
    'config',
  ]
  const worktrees = namesIn(join(gitFolder, 'worktrees')).flatMap((name) =>
    ['HEAD', 'index', 'logs/HEAD'].map((file) => `worktrees/${name}/${file}`),
  )
  const refs = refsBelow(join(gitFolder, 'refs'))
  if (refs === null) return null
  const stats = [...files, ...worktrees].map((file) => stampOf(lstat(join(gitFolder, file))))
  return [...stats, ...refs].join(' ')
}

function refsBelow(folder: string): string[] | null {
  const stamps: string[] = []
  const pending = [folder]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const stats = lstat(path)
    stamps.push(stampOf(stats))
    if (stamps.length > MAX_REFS) return null
    if (stats?.isDirectory()) for (const name of namesIn(path)) pending.push(join(path, name))
  }
  return stamps
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function lstat(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })
}

function stampOf(stats: BigIntStats | undefined): string {
  return stats ? `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}` : '-'
}
