/**
 * Whether git shows other objects than the names and references say, or fetches objects that are missing. The policy
 * reads the objects as they are stored, so in such a repository it does not know what git shows.
 */

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readFile } from './pack.js'

const MAX_REFS_BYTES = 4 * 1024 * 1024
const MAX_KNOWN = 50

/** Replaced objects, grafts, a table of references, or a partial clone. Throws if unknown. */
export function hasOtherObjects(common: string): boolean {
  if (namesIn(join(common, 'refs/replace')).length > 0 || hasPackedReplacement(join(common, 'packed-refs')))
    return true
  if (['info/grafts', 'reftable'].some((name) => exists(join(common, name)))) return true
  return namesIn(join(common, 'objects/pack')).some((name) => name.endsWith('.promisor'))
}

/** By the path of the file: it is large where there are many references, and changes seldom. */
const known = new Map<string, { stamp: string; isReplaced: boolean }>()

/** `git pack-refs` moves the references of replaced objects into this file. */
function hasPackedReplacement(file: string): boolean {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  if (!stat) return false
  const stamp = `${stat.mtimeNs}:${stat.size}:${stat.ino}:${stat.ctimeNs}`
  const before = known.get(file)
  if (before?.stamp === stamp) return before.isReplaced
  const isReplaced = readFile(file, MAX_REFS_BYTES).includes(' refs/replace/')
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(file, { stamp, isReplaced })
  return isReplaced
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

function namesIn(folder: string): string[] {
  return exists(folder) ? readdirSync(folder) : []
}
