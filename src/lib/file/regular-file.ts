/**
 * Opens and reads files at places where others can put what they like: folders of agents, records of Claude Code. A FIFO
 * there blocks until another process writes to it, a device never ends, and both take the event loop or a thread of the
 * pool with them. So only regular files are opened, and no more is read than their size and the limit of the caller.
 */

import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { refuseLockedFile } from './locked-file.js'

/** Without O_NONBLOCK, opening a FIFO waits for a writer. For a regular file it changes nothing. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK

/** Throws what opening throws, and an error where the path leads to something else than a regular file. */
export function openRegularFileSync(path: string): { file: number; size: number } {
  // Opening a device can have effects, so the path is checked first. Race: it may be replaced, so what was opened is too.
  expectRegular(path, statSync(path))
  refuseLockedFile(path)
  const file = openSync(path, FLAGS)
  try {
    return { file, size: expectRegular(path, fstatSync(file)) }
  } catch (error) {
    closeSync(file)
    throw error
  }
}

export async function openRegularFile(path: string): Promise<{ file: FileHandle; size: number }> {
  expectRegular(path, await stat(path))
  refuseLockedFile(path)
  const file = await open(path, FLAGS)
  try {
    return { file, size: expectRegular(path, await file.stat()) }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Throws also where the file is larger than the limit. Files of /proc and /sys, which have no size, are empty. */
export function readSmallFileSync(path: string, maxBytes: number): Buffer {
  const { file, size } = openRegularFileSync(path)
  try {
    const bytes = Buffer.alloc(expectSmall(path, size, maxBytes))
    let length = 0
    for (let count = -1; count !== 0 && length < size; length += count)
      count = readSync(file, bytes, length, size - length, length)
    return bytes.subarray(0, length)
  } finally {
    closeSync(file)
  }
}

export async function readSmallFile(path: string, maxBytes: number): Promise<Buffer> {
  const { file, size } = await openRegularFile(path)
  try {
    const bytes = Buffer.alloc(expectSmall(path, size, maxBytes))
    let length = 0
    for (let count = -1; count !== 0 && length < size; length += count)
      count = (await file.read(bytes, length, size - length, length)).bytesRead
    return bytes.subarray(0, length)
  } finally {
    await file.close()
  }
}

/** Whether an error says that there is no such file. */
export function isMissingFile(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function expectRegular(path: string, stats: Stats): number {
  if (stats.isDirectory()) throw Object.assign(new Error(`${path} is a folder.`), { code: 'EISDIR' })
  if (!stats.isFile()) throw Object.assign(new Error(`${path} is not a regular file.`), { code: 'EINVAL' })
  return stats.size
}

function expectSmall(path: string, size: number, maxBytes: number): number {
  if (size <= maxBytes) return size
  throw Object.assign(new Error(`${path} is larger than ${maxBytes} bytes.`), { code: 'EFBIG' })
}
