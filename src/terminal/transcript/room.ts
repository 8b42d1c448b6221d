/** Free space for the import: what is kept of the past must not fill the disk, on which the present needs room. */

import { statfsSync } from 'node:fs'

/** Free space that the import leaves. */
const RESERVE_BYTES = 1 << 30
/** An event has an index for searches besides. */
const BYTES_PER_BYTE = 2

export function hasRoom(
  folder: string | undefined,
  bytes: number,
  freeIn: (folder: string) => number = freeBytes,
): boolean {
  return folder === undefined || freeIn(folder) - bytes * BYTES_PER_BYTE >= RESERVE_BYTES
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    // Unknown, as on file systems without such figures.
    return Number.POSITIVE_INFINITY
  }
}
