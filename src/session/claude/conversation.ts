/** Claude's conversations on this machine: where they are recorded, and who else drives one right now. */

import { readdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { refuseLockedFile } from '../../lib/file/locked-file.js'
import { openRegularFile, readSmallFile } from '../../lib/file/regular-file.js'
import { asList, asRecord, asText } from '../../lib/read-json.js'
import { startTokenOf } from '../../lib/start-token.js'

export interface FoundConversation {
  id: string
  cwd: string
  /** The file in which the CLI records it. */
  path: string
}

/** The record of a conversation; null if the CLI has written none. Only then can it be resumed. */
export async function findConversation(configFolder: string, id: string): Promise<FoundConversation | null> {
  const projects = join(configFolder, 'projects')
  for (const folder of await namesIn(projects)) {
    const path = join(projects, folder, `${id}.jsonl`)
    if (await isFile(path)) return { id, path, cwd: await readCwd(path) }
  }
  return null
}

/** Whether the CLI (2.1.325) has ended because it could not read the record of its conversation. */
export function saysNoConversation(lastWords: string): boolean {
  return lastWords.includes('No conversation found with session ID')
}

/** The newest conversation that was held in a folder. */
export async function newestConversation(
  configFolder: string,
  cwd: string,
): Promise<FoundConversation | null> {
  const projects = join(configFolder, 'projects')
  const candidates: { id: string; path: string; at: number }[] = []
  for (const folder of await namesIn(projects)) {
    for (const name of await namesIn(join(projects, folder))) {
      const id = /^([0-9a-f-]{36})\.jsonl$/.exec(name)?.[1]
      const path = join(projects, folder, name)
      if (id) candidates.push({ id, path, at: (await stat(path).catch(() => null))?.mtimeMs ?? 0 })
    }
  }
  // Different folders may share one place for their records, so the record itself must say where it belongs.
  for (const { id, path } of candidates.toSorted((one, other) => other.at - one.at)) {
    if ((await readCwd(path).catch(() => '')) === cwd) return { id, path, cwd }
  }
  return null
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isFile(),
    () => false,
  )
}

const HEAD_BYTES = 256 * 1024
/** The limit of Node for a file in one piece. */
const MAX_RECORD_BYTES = 2 * 1024 ** 3 - 1

/** The first folder that the record names; empty if its beginning names none. */
async function readCwd(path: string): Promise<string> {
  const { file } = await openRegularFile(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    const match = /"cwd":("(?:[^"\\]|\\.)*")/.exec(buffer.toString('utf8', 0, bytesRead))
    return match?.[1] === undefined ? '' : String(JSON.parse(match[1]))
  } finally {
    await file.close()
  }
}

/** Those of these messages, by Claude's ids, that the record holds. */
export async function messagesIn(path: string, uuids: readonly string[]): Promise<Set<string>> {
  const bytes = await readSmallFile(path, MAX_RECORD_BYTES)
  return new Set(uuids.filter((uuid) => bytes.includes(`"uuid":"${uuid}"`)))
}

/**
 * Truncates the CLI's transcript at the first result of one of these calls, so that the next process makes
 * the calls again. Only while no process drives the conversation.
 */
export async function cutConversation(path: string, toolUseIds: ReadonlySet<string>): Promise<void> {
  const bytes = await readSmallFile(path, MAX_RECORD_BYTES)
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(10, start)
    const end = newline < 0 ? bytes.length : newline
    const line = bytes.toString('utf8', start, end)
    if (line.includes('"tool_result"') && resultsIn(parse(line)).some((id) => toolUseIds.has(id)))
      return cut(path, start)
    start = end + 1
  }
}

async function cut(path: string, length: number): Promise<void> {
  refuseLockedFile(path)
  await truncate(path, length)
}

/** The calls whose results a line of the record holds. */
function resultsIn(line: unknown): string[] {
  const content = asList(asRecord(asRecord(line)['message'])['content']).map(asRecord)
  return content.flatMap((block) =>
    block['type'] === 'tool_result' ? [asText(block['tool_use_id']) ?? ''] : [],
  )
}

/** Finds a process outside this daemon that drives a conversation: the CLI keeps a list of running ones. */
export async function findForeignDriver(
  configFolder: string,
  id: string,
  ours: ReadonlySet<number>,
): Promise<number | null> {
  const folder = join(configFolder, 'sessions')
  for (const name of await namesIn(folder)) {
    if (!/^\d+\.json$/.test(name)) continue
    const entry = asRecord(parse(await readText(join(folder, name))))
    const pid = entry['pid']
    if (asText(entry['sessionId']) !== id || typeof pid !== 'number' || ours.has(pid)) continue
    if (startTokenOf(pid) !== null) return pid
  }
  return null
}

async function readText(path: string): Promise<string> {
  try {
    return (await readSmallFile(path, HEAD_BYTES)).toString('utf8')
  } catch {
    return ''
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
