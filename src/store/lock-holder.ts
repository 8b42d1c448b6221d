/** Names the program that has locked the files of a database, where the system lists locks (Linux). */

import { readFileSync, statSync } from 'node:fs'

export interface LockHolder {
  pid: number
  program: string
}

/** Bytes of the WAL index (`-shm`) on which SQLite locks its read marks. */
const READ_MARKS = { from: 123, to: 127 } as const

/** Another process that has locked the database for writing, or its read marks. Null if there is none, or it cannot be seen. */
export function lockHolder(path: string): LockHolder | null {
  return find(`${path}-shm`, { from: 0, to: Number.POSITIVE_INFINITY })
}

/** The same for the read marks alone: while they are locked, nothing can be read either. */
export function readMarkHolder(path: string): LockHolder | null {
  return find(`${path}-shm`, READ_MARKS)
}

/** For a sentence about it. */
export function describeHolder(holder: LockHolder | null): string {
  return holder === null ? 'another program' : `another program (${holder.program}, pid ${holder.pid})`
}

function find(file: string, range: { from: number; to: number }): LockHolder | null {
  const inode = statSync(file, { throwIfNoEntry: false })?.ino
  const pid = inode === undefined ? undefined : locks().find((lock) => isIn(lock, inode, range))?.pid
  return pid === undefined ? null : { pid, program: programOf(pid) }
}

interface Lock {
  pid: number
  inode: number
  from: number
  to: number
}

function isIn(lock: Lock, inode: number, range: { from: number; to: number }): boolean {
  return lock.inode === inode && lock.pid !== process.pid && lock.from <= range.to && lock.to >= range.from
}

/** `1: POSIX  ADVISORY  WRITE 11108 fe:00:2147587 123 127`. A process that waits for a lock has `->` in its line. */
const LINE = /^\d+: POSIX +\S+ +WRITE +(\d+) +\S+:(\d+) +(\d+) +(\d+|EOF)$/

function locks(): Lock[] {
  return textOf('/proc/locks')
    .split('\n')
    .flatMap((line) => {
      const [, pid, inode, from, to] = LINE.exec(line) ?? []
      if (pid === undefined) return []
      const last = to === 'EOF' ? Number.POSITIVE_INFINITY : Number(to)
      return [{ pid: Number(pid), inode: Number(inode), from: Number(from), to: last }]
    })
}

function programOf(pid: number): string {
  return textOf(`/proc/${pid}/comm`).trim()
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // Not Linux, or the process has ended.
  }
}
