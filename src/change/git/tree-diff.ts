/** Differences between trees and the working tree, as git prints them with `--raw -z`. */

import type { BytePath } from '../byte-path.js'

/** A file as git knows it: its kind and whether it is executable, and the id of its content. */
export interface TreeEntry {
  kind: 'file' | 'program' | 'link'
  /** Zeros where git has not read the content. */
  id: string
}

export interface TreeChange {
  path: BytePath
  /** Null: it was not there, or is no longer. */
  before: TreeEntry | null
  after: TreeEntry | null
}

const KINDS: Readonly<Record<string, TreeEntry['kind']>> = {
  '100644': 'file',
  '100664': 'file',
  '100755': 'program',
  '120000': 'link',
}

/** Without the detection of renames: each change has one path. */
export function readRawDiff(output: Buffer): TreeChange[] {
  const parts = output.toString('latin1').split('\0')
  const changes: TreeChange[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [before = '', after = '', oldId = '', newId = ''] = (parts[at] ?? '').replace(/^:/, '').split(' ')
    changes.push({
      path: parts[at + 1] ?? '',
      before: entryOf(before, oldId),
      after: entryOf(after, newId),
    })
  }
  return changes
}

/** Null for what is no file: a folder, or nothing. */
export function entryOf(mode: string, id: string): TreeEntry | null {
  const kind = KINDS[mode]
  return kind === undefined ? null : { kind, id }
}
