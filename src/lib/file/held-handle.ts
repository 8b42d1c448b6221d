/**
 * Folders that are held open. Names are looked up in the folder itself, however its path may change meanwhile: a symlink
 * that is swapped in between a check and its use leads nowhere. Node has no `openat`; Linux has the same by /proc.
 */

import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
const HOLD = O_RDONLY | O_DIRECTORY | O_NOFOLLOW

/** Linux can look up a name in an open folder. Elsewhere the path is used again, and what it led to is checked. */
const HAS_PROC = process.platform === 'linux'

/** Opens a folder, never through a symlink at its last name. */
export function holdFolder(path: string | Buffer): Promise<FileHandle> {
  return open(path, HOLD)
}

/** A path that leads to this very folder, as long as it is held. `path`: where it was opened. */
export function pathOfHeld(handle: FileHandle, path: string): string {
  return HAS_PROC ? `/proc/self/fd/${handle.fd}` : path
}

/** Race: a name on the way may have been swapped for a symlink, so what was opened is asked where it is. */
export async function expectAt(handle: FileHandle, path: string | Buffer): Promise<void> {
  const wanted = Buffer.from(path)
  if (HAS_PROC) {
    const actual = await readlink(`/proc/self/fd/${handle.fd}`, 'buffer')
    if (actual.equals(wanted)) return
    throw moved()
  }
  const [opened, named, real] = await Promise.all([
    handle.stat(),
    lstat(path as string),
    realpath(path as string, 'buffer'),
  ])
  if (!real.equals(wanted) || named.dev !== opened.dev || named.ino !== opened.ino) throw moved()
}

function moved(): Error {
  return Object.assign(new Error('The file or a folder on the way to it was moved or replaced meanwhile.'), {
    code: 'EMOVED',
  })
}
