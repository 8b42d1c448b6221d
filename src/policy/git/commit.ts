/**
 * Resolves revisions and finds the protected files in them, without running git. Only plain forms are supported: a name
 * or an id, and steps to parents. Null means unknown everywhere.
 */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isProtectedFile } from '../file/protected.js'
import { isSuspect, SUSPECT_FOLDER } from '../file/suspect-name.js'
import { entriesOf, FOLDER_MODE, GITLINK_MODE, type ObjectStore } from './history.js'
import { hasOtherObjects } from './other-objects.js'
import { readFile } from './pack.js'
import type { CommitReader, Guarded } from './repository.js'

const ID = /^[0-9a-f]{40}$/
const MAX_STEPS = 1_000
const MAX_TREES = 3_000
const MAX_KEPT = 20_000
const MAX_REFS_BYTES = 4 * 1024 * 1024
/** Git looks up a name in this order. */
const PLACES = ['', 'refs/', 'refs/tags/', 'refs/heads/', 'refs/remotes/']

export class Commits implements CommitReader {
  readonly #folder: string
  readonly #common: string
  readonly #store: ObjectStore

  /** `folder` belongs to the work tree, `common` to the repository; mostly they are the same. */
  constructor(folder: string, common: string, store: ObjectStore) {
    this.#folder = folder
    this.#common = common
    this.#store = store
  }

  /** The id of a commit. */
  resolve(revision: string): string | null {
    return orNull(() => {
      const [, name = '', steps = ''] = /^([^~^:@{}]+|@)((?:[~^]\d*)*)$/.exec(revision) ?? []
      let id =
        name === '' || this.#isReplaced() ? null : this.#commitOf(this.#idOf(name === '@' ? 'HEAD' : name))
      for (const [, sign, digits] of steps.matchAll(/([~^])(\d*)/g)) {
        const count = digits === '' ? 1 : Number(digits)
        if (count > MAX_STEPS) return null
        if (sign === '^') id = count === 0 ? id : (this.#parentsOf(id)[count - 1] ?? null)
        else for (let step = 0; step < count; step += 1) id = this.#parentsOf(id)[0] ?? null
      }
      return id
    })
  }

  parents(id: string): readonly string[] | null {
    return orNull(() => this.#parentsOf(id))
  }

  guarded(id: string): Guarded | null {
    return orNull(() => {
      const tree = /^tree ([0-9a-f]{40})$/m.exec(this.#textOf(id, 'commit') ?? '')?.[1]
      if (tree === undefined) return null
      const known = whole.get(tree)
      if (known !== undefined) return known
      const found = new Map<string, string>()
      this.#collect(tree, '', found, { trees: MAX_TREES })
      if (whole.size >= MAX_WHOLE) whole.clear()
      whole.set(tree, found)
      return found
    })
  }

  /**
   * Collects the protected files below a tree, by their paths. Cached, because most trees are the same in every commit.
   */
  #collect(tree: string, path: string, found: Map<string, string>, left: { trees: number }): void {
    const key = SUSPECT_FOLDER.test(`/${path}`) ? `${tree} ${path}` : tree
    const known = kept.get(key) ?? this.#lookAt(tree, SUSPECT_FOLDER.test(`/${path}`) ? path : '', left)
    if (kept.size >= MAX_KEPT) kept.clear()
    kept.set(key, known)
    for (const [name, id] of known.files) found.set(path + name, id)
    for (const [name, id] of known.folders) this.#collect(id, `${path}${name}/`, found, left)
  }

  #lookAt(tree: string, path: string, left: { trees: number }): Looked {
    left.trees -= 1
    const object = this.#store.object(tree)
    if (left.trees < 0 || object?.type !== 'tree') throw new Error('The tree cannot be looked at.')
    const looked: Looked = { files: [], folders: [] }
    for (const { mode, name, id } of entriesOf(object.content)) {
      if (mode === FOLDER_MODE) looked.folders.push([name, id])
      else if (mode !== GITLINK_MODE && isSuspect(path + name) && isProtectedFile(path + name))
        looked.files.push([name, id])
    }
    return looked
  }

  #textOf(id: string, type: 'commit' | 'tag'): string | null {
    const object = this.#store.object(id)
    return object?.type === type ? object.content.toString('latin1') : null
  }

  #parentsOf(id: string | null): string[] {
    const text = id === null ? null : this.#textOf(id, 'commit')
    if (text === null) throw new Error('The commit is not here.')
    const head = text.slice(0, text.indexOf('\n\n') + 1)
    return [...head.matchAll(/^parent ([0-9a-f]{40})$/gm)].map(([, parent = '']) => parent)
  }

  /** Follows tags; null for anything but a commit. */
  #commitOf(id: string | null): string | null {
    for (let [depth, at] = [0, id]; at !== null && depth < 10; depth += 1) {
      if (this.#textOf(at, 'commit') !== null) return at
      at = /^object ([0-9a-f]{40})\n/.exec(this.#textOf(at, 'tag') ?? '')?.[1] ?? null
    }
    return null
  }

  #idOf(name: string): string | null {
    if (ID.test(name)) return name
    if (!/^[\w./+-]+$/.test(name) || name.includes('..')) return null
    for (const place of PLACES) {
      const found = this.#referenceAt(`${place}${name}`)
      if (found !== null) return found
    }
    if (!/^[0-9a-f]{4,39}$/.test(name)) return null
    const [only, ...others] = this.#store.idsOf(name)
    return others.length === 0 ? (only ?? null) : null
  }

  #referenceAt(path: string, depth = 0): string | null {
    const isOfWorkTree = !path.startsWith('refs/')
    const file = join(isOfWorkTree ? this.#folder : this.#common, path)
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) {
      const text = readFile(file, 4096).toString('latin1').trim()
      const link = /^ref: (refs\/\S+)$/.exec(text)?.[1]
      if (link !== undefined && depth < 5) return this.#referenceAt(link, depth + 1)
      return ID.test(text) ? text : null
    }
    return isOfWorkTree ? null : (this.#packedReferences().get(path) ?? null)
  }

  #packedReferences(): ReadonlyMap<string, string> {
    const file = join(this.#common, 'packed-refs')
    if (!statSync(file, { throwIfNoEntry: false })) return new Map()
    const lines = readFile(file, MAX_REFS_BYTES).toString('latin1').split('\n')
    return new Map(
      lines.flatMap((line) => {
        const [, id, name] = /^([0-9a-f]{40}) (\S+)$/.exec(line) ?? []
        return id === undefined || name === undefined ? [] : [[name, id] as const]
      }),
    )
  }

  /** Replaced objects and shallow clones change the history that git shows. */
  #isReplaced(): boolean {
    const isShallow = statSync(join(this.#common, 'shallow'), { throwIfNoEntry: false }) !== undefined
    return isShallow || hasOtherObjects(this.#common)
  }
}

interface Looked {
  files: [string, string][]
  folders: [string, string][]
}

/** By the id of a commit's tree. */
const whole = new Map<string, Guarded>()
const MAX_WHOLE = 2_000
/** By the id of a tree, and by its path where the path matters. */
const kept = new Map<string, Looked>()

function orNull<Value>(ask: () => Value | null): Value | null {
  try {
    return ask()
  } catch {
    return null
  }
}
