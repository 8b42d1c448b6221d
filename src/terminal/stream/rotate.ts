/** Rotation: renames the stream to a unique name. The next writer creates a new one. */

import { existsSync, renameSync, statSync } from 'node:fs'
import { basename } from 'node:path'

export interface Rotated {
  readonly to: string
  readonly bytes: number
}

const SUFFIX = /\.\d{8}T\d{9}Z-[0-9a-f]{4}$/

/**
 * A single rename: no data is ever unreachable or overwritten. A writer that has the old file open still writes to it;
 * readers find these lines, because they also read rotated files. Null if there is nothing to rotate.
 */
export function rotateStream(path: string, now: number, random: () => number = Math.random): Rotated | null {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats?.isFile() || stats.size === 0) return null
  const time = new Date(now).toISOString().replaceAll(/[-:.]/g, '')
  for (let attempt = 0; attempt < 10; attempt++) {
    const mark = Math.floor(random() * 0x10000)
      .toString(16)
      .padStart(4, '0')
    const to = `${path}.${time}-${mark}`
    if (existsSync(to)) continue
    try {
      renameSync(path, to)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null // Race: lost.
      throw error
    }
    return { to, bytes: stats.size }
  }
  throw new Error(`No free name was found beside ${path}.`)
}

/** Whether `rotateStream` made the file, and not another program. */
export function isRotated(path: string): boolean {
  return SUFFIX.test(basename(path))
}
