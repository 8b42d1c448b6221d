/** Reads and writes files of a workspace name by name through folders that are held open: never through a symlink. */

import { createHash } from 'node:crypto'
import { constants, lstatSync, renameSync, type Stats } from 'node:fs'
import {
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readlink,
  rename,
  rmdir,
  symlink,
  unlink,
} from 'node:fs/promises'
import { expectAt, holdFolder, pathOfHeld } from '../../lib/file/held-handle.js'
import { refuseLockedFile } from '../../lib/file/locked-file.js'
import { type BytePath, bytesOf, folderOf } from '../byte-path.js'
import { type FileEntry, isSame } from '../snapshot/state-diff.js'

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants
const DEFAULT_FOLDER_MODE = 0o777

/** A file with its content. */
export interface Content {
  entry: FileEntry
  bytes: Buffer
}

/** Larger files are not compared, and so are never overwritten. */
const MAX_BYTES = 256 * 1024 * 1024

/** A file is not what it was when the undo was planned. */
export class ChangedMeanwhile extends Error {
  readonly path: BytePath

  constructor(path: BytePath) {
    super('A file changed while the undo was being carried out.')
    this.path = path
  }
}

export class HeldTree {
  readonly #root: string
  readonly #algorithm: 'sha1' | 'sha256'

  constructor(root: string, isSha256: boolean) {
    this.#root = root
    this.#algorithm = isSha256 ? 'sha256' : 'sha1'
  }

  /** The file that is there, by its content; null for nothing. A device, a pipe or a file that cannot be read is `other`. */
  async read(path: BytePath): Promise<FileEntry | null | 'folder' | 'other'> {
    const found = await this.readContent(path)
    return found !== null && typeof found === 'object' ? found.entry : found
  }

  async readContent(path: BytePath): Promise<Content | null | 'folder' | 'other'> {
    return this.#in(folderOf(path), async (at) => {
      return this.#contentAt(at(nameOf(path)))
    }).catch(missing)
  }

  async #contentAt(place: string): Promise<Content | null | 'folder' | 'other'> {
    const stats = await lstat(place).catch(missing)
    if (stats === null) return null
    if (stats.isSymbolicLink()) return this.#content('link', await readlink(place, 'buffer'), 0)
    if (stats.isDirectory()) return 'folder'
    if (!stats.isFile() || stats.size > MAX_BYTES) return 'other'
    refuseLockedFile(place)
    const file = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(closed)
    if (file === null) return 'other'
    try {
      return this.#content('file', await file.readFile(), stats.mode & 0o7777)
    } finally {
      await file.close()
    }
  }

  #content(kind: 'file' | 'link', bytes: Buffer, mode: number): Content {
    const id = createHash(this.#algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
    return { entry: { kind: kind === 'file' && (mode & 0o100) !== 0 ? 'program' : kind, id, mode }, bytes }
  }

  /**
   * Puts a file in place as a whole: a reader sees the old content or the new one. `from`: what must be there, and is compared
   * right before and after; null: nothing, not even something that came this moment.
   */
  async write(
    path: BytePath,
    { entry, bytes }: Content,
    temporary: string,
    from: FileEntry | null,
  ): Promise<void> {
    await this.#in(folderOf(path), async (at, folder) => {
      const [place, draft] = [at(nameOf(path)), at(Buffer.from(temporary))]
      const before = await lstat(place).catch(missing)
      const owner = before ?? (await folder.stat())
      await unlink(draft).catch(missing)
      // A symlink is made at once, and not if something is there.
      if (entry.kind === 'link' && from === null) await symlink(bytes, place)
      else {
        if (entry.kind === 'link') await symlink(bytes, draft)
        else await writeDraft(draft, bytes, entry.mode, owner)
        if (from === null) await putNew(draft, place)
        else await this.#replace(from, { path, place, draft, aside: at(asideOf(path, temporary)) })
      }
      await folder.sync().catch(() => {}) // Not every file system can.
    })
  }

  /**
   * Race: an editor may save at any time, into the file or by putting another one in its place. The old file keeps a second
   * name until the new one is there, so what was written into it in the last moment is found and restored.
   */
  async #replace(from: FileEntry, { path, place, draft, aside }: Places): Promise<void> {
    await unlink(aside).catch(missing)
    const hasAside = from.kind !== 'link' && (await giveName(place, aside))
    const isFrom = (await this.#isAt(place, from)) && (!hasAside || isSameFile(place, aside))
    if (!isFrom) {
      await unlink(draft)
      await unlink(aside).catch(missing)
      throw new ChangedMeanwhile(path)
    }
    // Nothing else of this process runs between the comparison above and this.
    renameSync(draft, place)
    if (!hasAside) return
    if (await this.#isAt(aside, from)) return unlink(aside)
    await rename(aside, place)
    throw new ChangedMeanwhile(path)
  }

  async #isAt(place: string, expected: FileEntry): Promise<boolean> {
    const found = await this.#contentAt(place)
    return found !== null && typeof found === 'object' && isSame(found.entry, expected)
  }

  async setMode(path: BytePath, mode: number): Promise<void> {
    await this.#in(folderOf(path), async (at) => {
      const place = at(nameOf(path))
      refuseLockedFile(place)
      const file = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      try {
        await file.chmod(mode)
      } finally {
        await file.close()
      }
    })
  }

  /** Compares once more what it took away: a file that was saved in the last moment is put back. */
  async remove(path: BytePath, temporary: string, from: FileEntry): Promise<void> {
    await this.#in(folderOf(path), async (at, folder) => {
      const [place, aside] = [at(nameOf(path)), at(asideOf(path, temporary))]
      await rename(place, aside)
      const isFrom = await this.#isAt(aside, from)
      if (isFrom) await unlink(aside)
      else await putBack(aside, place)
      await folder.sync().catch(() => {})
      if (!isFrom) throw new ChangedMeanwhile(path)
    })
  }

  /** After a crash between two steps of the above: false if a file that someone saved was restored. */
  async clearAside(path: BytePath, temporary: string, from: FileEntry | null): Promise<boolean> {
    return this.#in(folderOf(path), async (at) => {
      const [place, aside] = [at(nameOf(path)), at(asideOf(path, temporary))]
      if ((await lstat(aside).catch(missing)) === null) return true
      if (from !== null && (await this.#isAt(aside, from))) {
        await unlink(aside)
        return true
      }
      await rename(aside, place)
      return false
    }).catch(() => true)
  }

  /** Removes a folder if it is empty; false if it is not, or is no folder. */
  async removeFolder(path: BytePath): Promise<boolean> {
    return this.#in(folderOf(path), async (at) => {
      await rmdir(at(nameOf(path)))
      return true
    }).catch(() => false)
  }

  /** Makes a folder and those that it is in, as far as they are not there. */
  async makeFolder(
    path: BytePath,
    modeOf: (folder: BytePath) => number | null,
    onMade: (folder: BytePath) => void = () => {},
  ): Promise<void> {
    if (path === '') return
    await this.makeFolder(folderOf(path), modeOf, onMade)
    await this.#in(folderOf(path), async (at) => {
      const place = at(nameOf(path))
      const isMade = await mkdir(place, DEFAULT_FOLDER_MODE).then(
        () => true,
        (error: unknown) => {
          if (codeOf(error) !== 'EEXIST') throw error
          return false
        },
      )
      if (isMade) onMade(path)
      const mode = modeOf(path)
      if (!isMade || mode === null) return
      const folder = await holdFolder(place)
      try {
        await folder.chmod(mode)
      } finally {
        await folder.close()
      }
    })
  }

  async removeDraft(folder: BytePath, temporary: string): Promise<void> {
    await this.#in(folder, (at) => unlink(at(Buffer.from(temporary)))).catch(missing)
  }

  /** Walks from the root, holding each folder while the next is opened in it. */
  async #in<Result>(
    path: BytePath,
    work: (at: (name: Buffer) => string, folder: FileHandle) => Promise<Result>,
  ): Promise<Result> {
    let whole: Buffer = Buffer.from(this.#root)
    let folder = await holdFolder(whole)
    try {
      for (const name of path === '' ? [] : path.split('/')) {
        const parent = folder
        whole = Buffer.concat([whole, Buffer.from('/'), bytesOf(name)])
        folder = await holdFolder(placeIn(parent, whole, bytesOf(name)))
        await parent.close()
      }
      await expectAt(folder, whole)
      const held = folder
      return await work((name) => placeIn(held, Buffer.concat([whole, Buffer.from('/'), name]), name), held)
    } finally {
      await folder.close().catch(() => {}) // Closed already where a folder on the way could not be opened.
    }
  }
}

/** Cast: the types of Node lack buffers for some functions, which accept them for every path. */
function placeIn(folder: FileHandle, path: Buffer, name: Buffer): string {
  const held = pathOfHeld(folder, '')
  return (held === '' ? path : Buffer.concat([Buffer.from(`${held}/`), name])) as unknown as string
}

async function writeDraft(draft: string, bytes: Buffer, mode: number, owner: Stats): Promise<void> {
  const file = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    await file.writeFile(bytes)
    const own = await file.stat()
    // Only root may chown; for other users the file becomes their own.
    if (own.uid !== owner.uid || own.gid !== owner.gid) await file.chown(owner.uid, owner.gid).catch(() => {})
    await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Unlike `rename`, a hard link does not replace what is there. */
async function putNew(draft: string, place: string): Promise<void> {
  try {
    await link(draft, place)
  } catch (error) {
    // Not every file system has hard links.
    const isPossible = !['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK'].includes(codeOf(error))
    if (isPossible || (await lstat(place).catch(missing)) !== null) {
      await unlink(draft)
      throw error
    }
    return rename(draft, place)
  }
  await unlink(draft)
}

interface Places {
  path: BytePath
  place: string
  draft: string
  /** The second name of the file that is replaced. */
  aside: string
}

/** One for each file, so that it is known after a crash whose it is. */
function asideOf(path: BytePath, temporary: string): Buffer {
  return Buffer.from(`${temporary}-${createHash('sha256').update(bytesOf(path)).digest('hex').slice(0, 12)}`)
}

/** False where the file system has no hard links. */
async function giveName(place: string, name: string): Promise<boolean> {
  return link(place, name).then(
    () => true,
    () => false,
  )
}

/** Synchronous: nothing may come between this and what follows. */
function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => lstatSync(path, { throwIfNoEntry: false, bigint: true }))
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev
}

/** Where something new has come to its place, it stays beside it. */
async function putBack(aside: string, place: string): Promise<void> {
  if (await giveName(aside, place)) return unlink(aside)
  if ((await lstat(place).catch(missing)) === null) await rename(aside, place)
}

function nameOf(path: BytePath): Buffer {
  return bytesOf(path.slice(path.lastIndexOf('/') + 1))
}

function missing(error: unknown): null {
  if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error))) return null
  throw error
}

/** Null for a file that this user may not read. */
function closed(error: unknown): null {
  if (['EACCES', 'EPERM'].includes(codeOf(error))) return null
  throw error
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
