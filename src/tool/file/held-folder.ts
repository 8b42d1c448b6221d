/**
 * A folder of a workspace that is held open. Names are looked up in the folder itself, however its path may change
 * meanwhile: a link that is swapped in between a check and its use leads nowhere.
 */

import { constants } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expectAt, holdFolder, pathOfHeld } from '../../lib/file/held-handle.js'
import { refuseLockedFile } from '../../lib/file/locked-file.js'
import { ToolFailure } from '../tool.js'
import { codeOf, failureOf } from './failure.js'
import type { Place } from './place.js'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
/** Nonblocking, as a pipe would otherwise hold up the thread that opens it. */
const READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK

export class HeldFolder {
  readonly path: string
  readonly #root: string
  readonly #handle: FileHandle

  private constructor(root: string, path: string, handle: FileHandle) {
    this.#root = root
    this.path = path
    this.#handle = handle
  }

  /** Walks from the root by names, none of which may be a link; with `create`, missing folders are made. */
  static async open(root: string, names: readonly string[], create = false): Promise<HeldFolder> {
    let folder = new HeldFolder(root, root, await openFolder(root, 'The workspace'))
    for (const name of names) {
      const parent = folder
      try {
        folder = await parent.#enter(name, create)
      } finally {
        await parent.close()
      }
    }
    return folder.#checked()
  }

  async #enter(name: string, create: boolean): Promise<HeldFolder> {
    const shown = this.#shown(name)
    if (create) {
      await mkdir(this.at(name)).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw failureOf(error, shown)
      })
    }
    return new HeldFolder(this.#root, join(this.path, name), await openFolder(this.at(name), shown))
  }

  async #checked(): Promise<this> {
    try {
      await expectAt(this.#handle, this.path)
      return this
    } catch (error) {
      await this.close()
      throw failureOf(error, this.#shown('.'))
    }
  }

  /** A path that leads to this name in this very folder, as long as the folder is held. Never follow its last part. */
  at(name: string): string {
    return join(this.entries, name)
  }

  /** A path that leads to this very folder, as long as it is held. */
  get entries(): string {
    return pathOfHeld(this.#handle, this.path)
  }

  /** Opens a regular file of the folder for reading. */
  async openFile(name: string): Promise<FileHandle> {
    const handle = await this.findFile(name)
    if (handle === null) throw new ToolFailure(`${this.#shown(name)} does not exist.`)
    return handle
  }

  /** The same; null if there is nothing by this name. */
  async findFile(name: string): Promise<FileHandle | null> {
    const shown = this.#shown(name)
    try {
      refuseLockedFile(this.at(name))
    } catch (error) {
      throw failureOf(error, shown)
    }
    const handle = await open(this.at(name), READ).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return null
      throw failureOf(error, shown)
    })
    if (handle === null) return null
    try {
      const stats = await handle.stat()
      if (stats.isDirectory()) throw new ToolFailure(`${shown} is a folder, not a file.`)
      if (!stats.isFile()) throw new ToolFailure(`${shown} is not a regular file.`)
      await expectAt(handle, join(this.path, name))
      return handle
    } catch (error) {
      await handle.close()
      throw failureOf(error, shown)
    }
  }

  #shown(name: string): string {
    return relative(this.#root, join(this.path, name))
  }

  /** Makes what was done in the folder durable. */
  async sync(): Promise<void> {
    await this.#handle.sync().catch(() => {}) // Not every file system can.
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }
}

/** The folder in which a place is. */
export async function holdParent(place: Place, create = false): Promise<HeldFolder> {
  return HeldFolder.open(place.root, place.names.slice(0, -1), create)
}

async function openFolder(path: string, shown: string): Promise<FileHandle> {
  try {
    return await holdFolder(path)
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') throw new ToolFailure(`${shown} is not a folder.`)
    throw failureOf(error, shown)
  }
}
