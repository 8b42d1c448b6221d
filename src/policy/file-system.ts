/** The few things that the policy asks of the file system. It never writes, and what cannot be known is null. */

import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { gitlinksOf } from './gitlink.js'

export interface FileSystem {
  /** Where a symbolic link points, as it is written there; null for everything else. */
  readLink(path: string): string | null
  /** The names in a directory; null if it is none or cannot be read. */
  list(path: string): readonly string[] | null
  /** The same with what each name is; `file` is everything that is neither a folder nor a link. */
  entries(path: string): readonly Entry[] | null
  /** What the names of one file have in common; null unless the file has several names (hard links). */
  identity(path: string): string | null
  /** Repositories that the repository at this path has stored as such; null if that cannot be known. */
  gitlinks(path: string): readonly string[] | null
}

export interface Entry {
  name: string
  kind: 'file' | 'folder' | 'link'
}

/** A file system without links and without files: verdicts by name alone. */
export const emptyFileSystem: FileSystem = {
  readLink: () => null,
  list: () => null,
  entries: () => null,
  identity: () => null,
  gitlinks: () => [],
}

/** The real one. Each answer is remembered: make one for each verdict. */
export function nodeFileSystem(): FileSystem {
  return {
    readLink: remember((path) => (statOf(path)?.isSymbolicLink() ? readlinkSync(path) : null)),
    list: remember((path) => (statOf(path)?.isDirectory() ? readdirSync(path) : null)),
    entries: remember((path) =>
      readdirSync(path, { withFileTypes: true }).map((entry) => ({
        name: entry.name,
        kind: entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'file',
      })),
    ),
    identity: remember((path) => {
      const stat = statOf(path)
      return stat?.isFile() && stat.nlink > 1 ? `${stat.dev}:${stat.ino}` : null
    }),
    gitlinks: remember(gitlinksOf),
  }
}

/** It is not UTF-8, or might not be: by the text that we have of it, nothing about it can be found out. */
export function isOddName(name: string): boolean {
  return name.includes('\ufffd')
}

function statOf(path: string) {
  return lstatSync(path, { throwIfNoEntry: false })
}

function remember<Value>(ask: (path: string) => Value | null): (path: string) => Value | null {
  const known = new Map<string, Value | null>()
  return (path) => {
    const answer = known.get(path)
    if (answer !== undefined) return answer
    const fresh = orNull(() => ask(path))
    known.set(path, fresh)
    return fresh
  }
}

/** A path that may not be looked at, or that no file can have, tells nothing. */
function orNull<Value>(ask: () => Value | null): Value | null {
  try {
    return ask()
  } catch {
    return null
  }
}
