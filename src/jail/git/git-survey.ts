/** Parses the output of `surveyScript`: every object, every name in the indexes, and all objects that are not blobs. */

import { isProtectedFile, mayProtect } from '../../policy/file/protected.js'
import { entriesIn, objectsIn, treeOf } from './git-tree.js'

export interface GitSurvey {
  hasProtectedName: boolean
  /** Trees in folders whose names may make what is in them protected. */
  subtrees: { id: string; folder: string }[]
  /** Blobs that no tree of a commit names. */
  nameless: string[]
}

const MAX_OBJECTS = 400_000
const NEWLINE = 0x0a

/** Null: it is incomplete, or too large. */
export function readSurvey(output: Buffer): GitSurvey | null {
  const isEmpty = output[0] === NEWLINE
  const end = isEmpty ? 0 : output.indexOf('\n\n')
  const list = output.toString('latin1', 0, end).split('\n')
  if (end < 0 || list.length > MAX_OBJECTS) return null
  const names = new NameCheck()
  let at = isEmpty ? 1 : end + 2
  for (let stop = output.indexOf(0, at); stop > at; stop = output.indexOf(0, at)) {
    names.check(output.toString('utf8', at, stop))
    at = stop + 1
  }
  const trees = new TreeSurvey(names)
  const objects = objectsIn(output, at + 1)
  let next = objects.next()
  for (; !next.done; next = objects.next()) {
    const object = next.value
    if (object.type === 'commit') trees.roots.add(treeOf(object) ?? '')
    if (object.type === 'tree') trees.add(object.id, [...entriesIn(object)])
  }
  if (output.toString('latin1', next.value) !== 'ok\n') return null
  const blobs = list.flatMap((line) => (line.endsWith(' blob') ? [line.slice(0, line.indexOf(' '))] : []))
  return {
    hasProtectedName: names.hasProtected,
    subtrees: trees.subtrees,
    nameless: [...new Set([...blobs.filter((id) => !trees.named.has(id)), ...trees.looseBlobs()])],
  }
}

class TreeSurvey {
  readonly roots = new Set<string>()
  readonly named = new Set<string>()
  readonly subtrees: { id: string; folder: string }[] = []
  readonly #names: NameCheck
  readonly #children = new Set<string>()
  /** Those that nothing has named so far, with the blobs that are directly in them. */
  readonly #parentless = new Map<string, readonly string[]>()

  constructor(names: NameCheck) {
    this.#names = names
  }

  add(tree: string, entries: readonly { name: string; id: string; isTree: boolean }[]): void {
    const blobs: string[] = []
    for (const { name, id, isTree } of entries) {
      if (!isTree) {
        this.#names.check(name)
        this.named.add(id)
        blobs.push(id)
        continue
      }
      this.#children.add(id)
      this.#parentless.delete(id)
      if (mayProtect(name)) this.subtrees.push({ id, folder: name })
    }
    if (!this.#children.has(tree)) this.#parentless.set(tree, blobs)
  }

  /** Blobs in a tree that is neither that of a commit nor a folder of another: the path to it is not known. */
  looseBlobs(): string[] {
    return [...this.#parentless].flatMap(([tree, blobs]) => (this.roots.has(tree) ? [] : blobs))
  }
}

/** The same names come again and again. */
class NameCheck {
  readonly #seen = new Set<string>()
  hasProtected = false

  check(name: string): void {
    if (this.#seen.has(name)) return
    this.#seen.add(name)
    this.hasProtected ||= isProtectedFile(`/${name}`)
  }
}
