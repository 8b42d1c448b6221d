/** Effects of a command on the file system of the range: files that changed, files and folders that were read. */

import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { UNREAD } from './root.js'

export type Snapshot = ReadonlyMap<string, string>

/** Folders that are mounted read-only in the range, or that belong to it. */
const UNWATCHED = new Set(['usr', 'opt', 'record', 'proc', 'dev', 'lib', 'lib64', 'bin', 'sbin'])

export function snapshot(root: string): Snapshot {
  const entries = new Map<string, string>()
  // Names are bytes, of which this encoding loses none.
  const at = (path: string) => Buffer.concat([Buffer.from(root), Buffer.from(path, 'latin1')])
  const visit = (path: string): void => {
    for (const name of readdirSync(at(path), { encoding: 'latin1' })) {
      if (path === '' && UNWATCHED.has(name)) continue
      const inner = `${path}/${name}`
      const stat = lstatSync(at(inner))
      const target = stat.isSymbolicLink() ? readlinkSync(at(inner), 'latin1') : ''
      // Folders change their time with what is in them, which is looked at anyway.
      const time = stat.isDirectory() ? '' : `${stat.mtimeMs}:${stat.size}`
      entries.set(inner, `${stat.mode}:${stat.ino}:${stat.uid}:${stat.nlink}:${time}:${target}`)
      if (stat.isDirectory()) visit(inner)
    }
  }
  visit('')
  return entries
}

export function changesBetween(before: Snapshot, after: Snapshot): string[] {
  const changed = [...after].filter(([path, print]) => before.get(path) !== print).map(([path]) => path)
  const gone = [...before.keys()].filter((path) => !after.has(path))
  return [...changed, ...gone]
}

/** Which of the watched paths were read since their reading was last forgotten. */
export function readAmong(root: string, watched: readonly string[]): string[] {
  return watched
    .filter((path) => lstatSync(join(root, path), { throwIfNoEntry: false })?.atimeMs !== UNREAD.getTime())
    .map((path) => `/${path}`)
}
