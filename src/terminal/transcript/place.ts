/**
 * Lists the transcripts of Claude Code: of sessions, and of their subagents. Symlinks are not followed, and names become
 * ids only if they look like them: agents can write to these folders.
 */

import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs'
import { join } from 'node:path'

const SESSION = /^([0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\.jsonl$/
const AGENT = /^agent-([A-Za-z0-9][A-Za-z0-9_-]{0,63})\.jsonl$/
const PROJECT = /^[A-Za-z0-9_-]{1,255}$/

/** The transcript of a session, with those of its subagents. */
export interface TranscriptPlace {
  /** Claude's id. */
  readonly sessionId: string
  /** The folder of its project, as named by Claude Code. */
  readonly project: string
  readonly path: string
  readonly size: number
  readonly modifiedAt: number
  readonly bornAt: number
}

/** The folder with a folder for each project; null if there is none. It can be a symlink of the user. */
export function openRoot(folder: string): string | null {
  try {
    return realpathSync(folder)
  } catch {
    return null
  }
}

export function listProjects(root: string): string[] {
  return entriesOf(root).flatMap((entry) =>
    entry.isDirectory() && PROJECT.test(entry.name) ? [entry.name] : [],
  )
}

/** Ids of the sessions that have a transcript there. */
export function listSessions(root: string, project: string): string[] {
  return entriesOf(join(root, project)).flatMap((entry) =>
    entry.isFile() ? (ownerOf(entry.name) ?? []) : [],
  )
}

export function placeAt(root: string, project: string, sessionId: string): TranscriptPlace | null {
  if (!PROJECT.test(project) || !SESSION.test(`${sessionId}.jsonl`)) return null
  if (!isFolder(join(root, project))) return null
  const path = join(root, project, `${sessionId}.jsonl`)
  const stats = statsOf(path)
  if (!stats?.isFile()) return null
  return { sessionId, project, path, size: stats.size, modifiedAt: stats.mtimeMs, bornAt: stats.birthtimeMs }
}

/** Each file is looked at in each slice. */
const MAX_AGENT_FILES = 2_000

export interface AgentPlace {
  readonly agentId: string
  readonly path: string
}

export function agentFolder(root: string, { project, sessionId }: TranscriptPlace): string {
  return join(root, project, sessionId, 'subagents')
}

export function listAgents(root: string, place: TranscriptPlace): AgentPlace[] {
  const folder = agentFolder(root, place)
  if (!isFolder(join(root, place.project, place.sessionId)) || !isFolder(folder)) return []
  const agents = entriesOf(folder).flatMap((entry) => {
    const agentId = entry.isFile() ? AGENT.exec(entry.name)?.[1] : undefined
    return agentId === undefined ? [] : [{ agentId, path: join(folder, entry.name) }]
  })
  return agents.slice(0, MAX_AGENT_FILES)
}

/** The session that a file belongs to; null for other files. */
export function ownerOf(name: string): string | null {
  return SESSION.exec(name)?.[1] ?? null
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function isFolder(path: string): boolean {
  return statsOf(path)?.isDirectory() ?? false
}

function statsOf(path: string): Stats | null {
  try {
    return lstatSync(path)
  } catch {
    // There is none, or an agent has made its folder unreadable: hooks are recorded all the same.
    return null
  }
}
