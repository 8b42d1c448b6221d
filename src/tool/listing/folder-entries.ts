/**
 * The entries of one folder, read from the open folder itself: a link that is swapped in for it leads nowhere. A small
 * folder is read at once, a large one in pieces. Callbacks rather than promises of the file system: a tree has thousands.
 */

import {
  close,
  constants,
  type Dirent,
  fstat,
  lstat,
  open,
  opendir,
  read,
  readdir,
  readlink,
  realpath,
  type Stats,
} from 'node:fs'
import { promisify } from 'node:util'
import { refuseLockedFile } from '../../lib/file/locked-file.js'
import { ToolFailure } from '../tool.js'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
const HAS_PROC = process.platform === 'linux'
/** By the size of the folder itself, which grows with the number of its entries. */
const LARGE_FOLDER_BYTES = 64 * 1024
const PIECE = 1_000
const MAX_IGNORE_BYTES = 1024 * 1024

const openFd = promisify(open)
const closeFd = promisify(close)
const statFd = promisify(fstat)
const readFd = promisify(read)
const linkTarget = promisify(readlink)
const statPath = promisify(lstat)
const realPath = promisify(realpath.native)
const openFolder = promisify(opendir)
const readEntries: (path: string) => Promise<Dirent[]> = (path) =>
  new Promise((resolve, reject) => {
    readdir(path, { withFileTypes: true }, (error, entries) => (error ? reject(error) : resolve(entries)))
  })

interface Opened {
  fd: number
  path: string
  stats: Stats
  /** Null for a large folder. */
  whole: readonly Dirent[] | null
  ignoreText: string | null
}

export class FolderEntries {
  /** The text of its `.gitignore`; null if there is none. */
  readonly ignoreText: string | null
  /** Of the folder before its entries were read. */
  readonly stats: Stats
  readonly #fd: number
  readonly #path: string
  readonly #whole: readonly Dirent[] | null
  #isClosed = false

  private constructor({ fd, path, stats, whole, ignoreText }: Opened) {
    this.#fd = fd
    this.#path = path
    this.#whole = whole
    this.stats = stats
    this.ignoreText = ignoreText
  }

  /** `path` is real: no part of it may be a link. */
  static async open(path: string): Promise<FolderEntries> {
    const fd = await openFd(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    try {
      const [stats] = await Promise.all([statFd(fd), expectAt(fd, path)])
      const isLarge = stats.size > LARGE_FOLDER_BYTES
      const whole = isLarge ? null : await readEntries(pathOf(fd, path))
      const hasIgnore = whole?.some((entry) => entry.name === '.gitignore' && entry.isFile()) ?? true
      const ignoreText = hasIgnore ? await readIgnoreText(pathOf(fd, path)) : null
      return new FolderEntries({ fd, path, stats, whole, ignoreText })
    } catch (error) {
      await closeFd(fd)
      throw error
    }
  }

  async *pieces(): AsyncGenerator<readonly Dirent[]> {
    if (this.#whole) {
      yield this.#whole
      return
    }
    let piece: Dirent[] = []
    for await (const entry of await openFolder(pathOf(this.#fd, this.#path), { bufferSize: PIECE })) {
      if (piece.push(entry) < PIECE) continue
      yield piece
      piece = []
    }
    yield piece
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await closeFd(this.#fd)
  }
}

function pathOf(fd: number, path: string): string {
  return HAS_PROC ? `/proc/self/fd/${fd}` : path
}

async function expectAt(fd: number, path: string): Promise<void> {
  const isThere = HAS_PROC ? (await linkTarget(`/proc/self/fd/${fd}`)) === path : await isStillAt(fd, path)
  if (!isThere) throw new ToolFailure('The folder was moved or replaced meanwhile.')
}

async function isStillAt(fd: number, path: string): Promise<boolean> {
  const [opened, named, real]: [Stats, Stats, string] = await Promise.all([
    statFd(fd),
    statPath(path),
    realPath(path),
  ])
  return real === path && opened.dev === named.dev && opened.ino === named.ino
}

/** Rules that cannot be read do not count. */
async function readIgnoreText(folder: string): Promise<string | null> {
  let fd: number
  try {
    refuseLockedFile(`${folder}/.gitignore`)
    fd = await openFd(`${folder}/.gitignore`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch {
    return null
  }
  try {
    const stats = await statFd(fd)
    if (!stats.isFile() || stats.size > MAX_IGNORE_BYTES) return null
    const { bytesRead, buffer } = await readFd(fd, Buffer.alloc(stats.size), 0, stats.size, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await closeFd(fd)
  }
}
