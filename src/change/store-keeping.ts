/** Deletes snapshots whose session is gone or old, and packs what is left. */

import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { InertGit } from '../lib/git/inert-git.js'
import { sizeOfFolder } from './snapshot/store-format.js'

export interface KeepingDeps {
  /** The folder with all stores. */
  folder: string
  program: string
  now(): number
  /** Whether the snapshots of a session are still wanted, given the time of its last change. */
  isWanted(sessionId: string, changedAt: number): Promise<boolean>
  maxBytes: number
  /** Runs work on a store while nothing else uses it. */
  exclusively(name: string, workspace: string, work: () => Promise<void>): Promise<void>
  /** Sessions whose snapshots were deleted to get below the limit. */
  onOverLimit(sessionIds: readonly string[]): void
}

interface KeptSession {
  store: string
  workspace: string
  sessionId: string
  changedAt: number
}

/** Loose objects from which on they are packed. */
const MANY_LOOSE = 1_000
const LONG_MS = 30 * 60_000

/** One pass over all stores. */
export async function keepStores(deps: KeepingDeps): Promise<void> {
  const kept: KeptSession[] = []
  for (const store of await storesIn(deps.folder)) kept.push(...(await keepStore(store, deps)))
  await keepBelowLimit(kept, deps)
}

async function storesIn(folder: string): Promise<{ name: string; workspace: string }[]> {
  const names = await readdir(folder).catch(() => [])
  const found = await Promise.all(
    names.map(async (name) => ({
      name,
      workspace: (await readFile(join(folder, name, 'workspace'), 'utf8').catch(() => '')).trimEnd(),
    })),
  )
  return found.filter(({ workspace }) => workspace !== '')
}

async function keepStore(
  { name, workspace }: { name: string; workspace: string },
  deps: KeepingDeps,
): Promise<KeptSession[]> {
  const git = new InertGit(deps.program, join(deps.folder, name))
  const kept: KeptSession[] = []
  const unwanted: string[] = []
  for (const { sessionId, changedAt } of await sessionsIn(git)) {
    if (await deps.isWanted(sessionId, changedAt)) kept.push({ store: name, workspace, sessionId, changedAt })
    else unwanted.push(sessionId)
  }
  if (unwanted.length > 0) await deleteSessions(name, workspace, unwanted, deps)
  else if (await isLoose(git)) await deps.exclusively(name, workspace, () => pack(git, false))
  return kept
}

async function sessionsIn(git: InertGit): Promise<{ sessionId: string; changedAt: number }[]> {
  const format = '--format=%(refname:lstrip=2) %(committerdate:unix)'
  const { stdout } = await git.attempt(['for-each-ref', format, 'refs/sessions/'])
  return stdout
    .toString('latin1')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [sessionId = '', seconds = '0'] = line.split(' ')
      return { sessionId, changedAt: Number(seconds) * 1_000 }
    })
}

/** Deletes the states of sessions; the store itself when it has none left. */
export async function deleteSessions(
  name: string,
  workspace: string,
  sessionIds: readonly string[],
  deps: Pick<KeepingDeps, 'folder' | 'program' | 'exclusively'>,
): Promise<void> {
  const git = new InertGit(deps.program, join(deps.folder, name))
  await deps.exclusively(name, workspace, async () => {
    if (existsSync(join(git.store, 'undo.json'))) return // An undo that is not finished needs its objects.
    for (const sessionId of sessionIds) await git.attempt(['update-ref', '-d', `refs/sessions/${sessionId}`])
    if ((await sessionsIn(git)).length === 0) await rm(git.store, { recursive: true, force: true })
    else await pack(git, true)
  })
}

async function isLoose(git: InertGit): Promise<boolean> {
  const { stdout } = await git.attempt(['count-objects'])
  return Number(/^(\d+)/.exec(stdout.toString('latin1'))?.[1] ?? 0) >= MANY_LOOSE
}

/** `isWhole`: everything anew, without what nothing refers to. The index of the store keeps what it names. */
async function pack(git: InertGit, isWhole: boolean): Promise<void> {
  const slowly = { isBackground: true, timeoutMs: LONG_MS }
  if (!isWhole) await git.attempt(['repack', '-d', '-l', '-q', '--geometric=2'], slowly)
  else {
    await git.attempt(['repack', '-a', '-d', '-l', '-q'], slowly)
    await git.attempt(['prune', '--expire=now'], slowly)
  }
  await git.attempt(['pack-refs', '--all'])
}

/** The sessions that changed least recently go first. */
async function keepBelowLimit(kept: readonly KeptSession[], deps: KeepingDeps): Promise<void> {
  const oldest = kept.toSorted((one, other) => one.changedAt - other.changedAt)
  const deleted: string[] = []
  while ((await sizeOfFolder(deps.folder)) > deps.maxBytes) {
    const next = oldest.shift()
    if (!next) break
    await deleteSessions(next.store, next.workspace, [next.sessionId], deps)
    deleted.push(next.sessionId)
  }
  if (deleted.length > 0) deps.onOverLimit(deleted)
}
