/**
 * Files that SQLite has locked in this process. POSIX drops all locks of a process on a file when the process closes any
 * descriptor of that file, so nothing here may open and close one of them, under whatever name. Without its locks a
 * database looks unused to other programs, which then delete its write-ahead log.
 */

import { statSync } from 'node:fs'

interface LockedFile {
  readonly path: string
  readonly device: bigint
  readonly inode: bigint
}

const locked = new Set<LockedFile>()

/** Call it with the path of an open database, and what it returns when the database is closed. */
export function noteLockedFile(path: string): () => void {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (!stats) return () => {}
  const entry = { path, device: stats.dev, inode: stats.ino }
  locked.add(entry)
  return () => void locked.delete(entry)
}

/** Throws if the path leads to a locked file, also through links. Call it before opening a path that others can choose. */
export function refuseLockedFile(path: string): void {
  if (locked.size === 0) return
  const found = identityOf(path)
  if (!found) return
  for (const { path: database, device, inode } of locked) {
    const isDatabase = found.dev === device && found.ino === inode
    const memory = identityOf(`${database}-shm`) // It holds locks too, and comes and goes with the connections.
    if (!isDatabase && (memory?.dev !== found.dev || memory.ino !== found.ino)) continue
    throw Object.assign(new Error('This file is a database that Signalbox has locked.'), { code: 'EBUSY' })
  }
}

function identityOf(path: string): { dev: bigint; ino: bigint } | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch {
    return null // Opening it reports the error.
  }
}
