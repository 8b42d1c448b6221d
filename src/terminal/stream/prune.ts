/** Deletes rotated files of a stream once they have been read. */

import { rmSync } from 'node:fs'
import { isRotated } from './rotate.js'
import type { FilePosition } from './stream-file.js'
import { listSiblings } from './stream-file.js'

/** Grace period after the last write: a writer may still have the rotated file open. */
const QUIET_MS = 600_000

/**
 * Deletes only files made by `rotateStream` that have not been written for a while and have been read to the last byte.
 * Always keeps the newest `keep`.
 */
export function pruneRotated(
  path: string,
  { keep, now, read }: { keep: number; now: number; read: readonly FilePosition[] },
): string[] {
  const rotated = listSiblings(path).filter((sibling) => isRotated(sibling.path))
  const old = rotated.slice(0, Math.max(0, rotated.length - keep)).filter(({ stats }) => {
    const isRead = read.some(
      (position) =>
        position.inode === String(stats.ino) &&
        position.device === String(stats.dev) &&
        BigInt(position.offset) === stats.size,
    )
    return isRead && now - Number(stats.mtimeMs) > QUIET_MS
  })
  for (const sibling of old) rmSync(sibling.path, { force: true })
  return old.map((sibling) => sibling.path)
}
