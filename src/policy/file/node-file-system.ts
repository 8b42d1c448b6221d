/** Adapter: the file system of this machine. */

import { type Dirent, lstatSync, opendirSync, readdirSync, readlinkSync, type Stats } from 'node:fs'
import { BudgetUsedUp } from '../../lib/step-budget.js'
import { repositoryOf } from '../git/open-repository.js'
import type { FileSystem, Unseen } from './file-system.js'
import { settingsAt } from './git-settings.js'
import { negationsIn } from './ignore-file.js'

/** Caches each answer, so create one per verdict. */
export function nodeFileSystem(): FileSystem {
  let unseen: Unseen | null = null
  const note = (path: string, isForbidden: boolean) => {
    // A path that is unreadable for us alone is more serious than one that no program of this user may read.
    if (unseen === null || (unseen.isForbidden && !isForbidden)) unseen = { path, isForbidden }
  }
  const remember = <Value>(ask: (path: string) => Value | null): ((path: string) => Value | null) => {
    const known = new Map<string, Value | null>()
    return (path) => {
      const answer = known.get(path)
      if (answer !== undefined) return answer
      const fresh = answerOf(() => ask(path), path, note)
      known.set(path, fresh)
      return fresh
    }
  }
  // Cached, because most files are queried three times: for a folder, a symlink and a hard link.
  const statAt = remember(statOf)
  return {
    readLink: remember((path) => (statAt(path)?.isSymbolicLink() ? targetOf(path, note) : null)),
    list: remember((path) => {
      const stat = statAt(path)
      return stat?.isDirectory() ? namesIn(path, stat, note) : null
    }),
    entries: remember((path) =>
      entriesIn(path, statAt(path), note).map((entry) => ({
        name: entry.name,
        kind: entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'file',
      })),
    ),
    identity: remember((path) => {
      const stat = statAt(path)
      return stat?.isFile() && stat.nlink > 1 ? `${stat.dev}:${stat.ino}` : null
    }),
    repository: remember(repositoryOf),
    negations: remember(negationsIn),
    gitSettings: remember(settingsAt),
    unseen: () => unseen,
  }
}

/** The size of the folder itself, which grows with the number of its entries. */
const LARGE_FOLDER_BYTES = 64 * 1024
const MAX_NAMES = 10_000

/** Reads name by name, because reading all names of a folder with a million entries takes a second. */
function largeFolder(path: string): Dirent[] {
  const folder = opendirSync(path, { bufferSize: 1_000 })
  try {
    const found: Dirent[] = []
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync())
      if (found.push(entry) > MAX_NAMES) throw new BudgetUsedUp()
    return found
  } finally {
    folder.closeSync()
  }
}

type Note = (path: string, isForbidden: boolean) => void

function statOf(path: string) {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null
}

/**
 * Names are bytes. A name that is not UTF-8 is decoded with replacement characters, so a query by that text finds
 * nothing, while programs still reach the file.
 */
const REPLACED = '\ufffd'

function namesIn(path: string, stat: Stats, note: Note): string[] {
  const names = stat.size > LARGE_FOLDER_BYTES ? largeFolder(path).map(({ name }) => name) : readdirSync(path)
  checkNames(path, names, note)
  return names
}

function entriesIn(path: string, stat: Stats | null, note: Note): Dirent[] {
  const isSmall = stat?.isDirectory() === true && stat.size <= LARGE_FOLDER_BYTES
  const entries = isSmall ? readdirSync(path, { withFileTypes: true }) : largeFolder(path)
  checkNames(
    path,
    entries.map(({ name }) => name),
    note,
  )
  return entries
}

function checkNames(path: string, names: readonly string[], note: Note): void {
  if (!names.some((name) => name.includes(REPLACED))) return
  const odd = readdirSync(path, { encoding: 'buffer' }).find((bytes) => !isText(bytes))
  if (odd !== undefined) note(`${path}/${odd.toString()}`, false)
}

function targetOf(path: string, note: Note): string {
  const target = readlinkSync(path)
  if (target.includes(REPLACED) && !isText(readlinkSync(path, { encoding: 'buffer' }))) note(path, false)
  return target
}

function isText(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString()).equals(bytes)
}

/** Only these errors mean that nothing exists at the path. */
const ABSENT: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR'])
const FORBIDDEN: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM'])

function answerOf<Value>(ask: () => Value | null, path: string, note: Note): Value | null {
  // No argument and no file name contains a NUL: it marks unknown text, which the callers judge.
  if (path.includes('\0')) return null
  try {
    return ask()
  } catch (error) {
    if (error instanceof BudgetUsedUp) throw error
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (!ABSENT.has(code)) note(path, FORBIDDEN.has(code))
    return null
  }
}
