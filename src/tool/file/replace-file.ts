/** Writes a file as a whole or not at all, in a folder that is held. */

import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { access, type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises'
import { ToolFailure } from '../tool.js'
import { codeOf, failureOf } from './failure.js'
import type { HeldFolder } from './held-folder.js'

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants

/**
 * Puts `content` in the place of the file that was read, with its mode and owner; `before` is what it was then, or null
 * if it was not there. Refuses if it has changed since.
 */
export async function replaceFile(
  folder: HeldFolder,
  name: string,
  content: Uint8Array,
  before: Stats | null,
): Promise<void> {
  const temporary = folder.at(`.${name.slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`)
  let handle: FileHandle | null = null
  try {
    handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, before ? 0o600 : 0o666)
    await handle.writeFile(content)
    if (before) await keepRights(handle, before)
    await handle.sync()
    await handle.close()
    handle = null
    await expectUnchanged(folder.at(name), before)
    // A rename would not ask whether the file itself may be written.
    if (before) await access(folder.at(name), constants.W_OK)
    await rename(temporary, folder.at(name))
    await folder.sync()
  } catch (error) {
    await handle?.close()
    await unlink(temporary).catch(() => {}) // It may never have been made.
    throw failureOf(error, name)
  }
}

async function keepRights(handle: FileHandle, { mode, uid, gid }: Stats): Promise<void> {
  const { uid: ownUid, gid: ownGid } = await handle.stat()
  // Only root may chown; for other users the file becomes their own.
  if (uid !== ownUid || gid !== ownGid) await handle.chown(uid, gid).catch(() => {})
  await handle.chmod(mode & 0o7777)
}

async function expectUnchanged(path: string, before: Stats | null): Promise<void> {
  const now = await lstat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  })
  const isSame =
    now?.ino === before?.ino &&
    now?.dev === before?.dev &&
    now?.size === before?.size &&
    now?.mtimeMs === before?.mtimeMs
  if (!isSame) throw new ToolFailure('The file has changed meanwhile. Read it again.')
}
