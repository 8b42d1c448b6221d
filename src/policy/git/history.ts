/**
 * Whether the objects of a repository contain protected files by name: git shows their content in patches and by
 * revisions. Every stored tree is visited once, including unreachable ones. Packs and objects are immutable, so results
 * are cached; a large store is scanned in portions, and its result is unknown until the scan ends.
 */

import { lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { isProtectedFile } from '../file/protected.js'
import { isSuspect, SUSPECT_FOLDER } from '../file/suspect-name.js'
import { type GitObject, type ObjectType, Pack, readFile, UnreadablePack } from './pack.js'
import type { History } from './repository.js'

/** Objects to visit for one answer: about 10 ms of CPU time. */
const PORTION = 1_500
const MAX_LOOSE_BYTES = 8 * 1024 * 1024
const MAX_DEPTH = 20
const MAX_STORES = 50

const stores = new Map<string, ObjectStore>()

/** The shared store of a folder with `objects` in it. */
export function objectStoreAt(gitFolder: string): ObjectStore {
  const folder = join(gitFolder, 'objects')
  const known = stores.get(folder)
  if (known !== undefined) return known
  if (stores.size >= MAX_STORES) stores.clear()
  const store = new ObjectStore(folder)
  stores.set(folder, store)
  return store
}

interface Loose {
  stamp: string
  seen: Set<string>
  holds: boolean
}

export class ObjectStore {
  readonly #folder: string
  readonly #packs = new Map<string, { pack: Pack; next: number; holds: boolean }>()
  readonly #loose = new Map<string, Loose>()
  #isHopeless = false

  constructor(folder: string) {
    this.#folder = folder
  }

  history(): History {
    try {
      return this.#look(PORTION)
    } catch (error) {
      this.#isHopeless ||= error instanceof UnreadablePack
      return 'unknown'
    }
  }

  /** The types of all objects whose id has this prefix; null if unknown. */
  typesOf(prefix: string): ObjectType[] | null {
    try {
      this.#notePacks()
      const id = prefix.toLowerCase()
      const packed = [...this.#packs.values()].flatMap(({ pack }) => pack.typesOf(id))
      const loose = namesIn(join(this.#folder, id.slice(0, 2))).filter((name) => name.startsWith(id.slice(2)))
      return [...packed, ...loose.map((name) => this.#looseObject(id.slice(0, 2), name).type)]
    } catch {
      return null
    }
  }

  /** The full ids with this prefix. Throws if unknown. */
  idsOf(prefix: string): string[] {
    this.#notePacks()
    const packed = [...this.#packs.values()].flatMap(({ pack }) => pack.idsOf(prefix))
    const [folder, rest] = [prefix.slice(0, 2), prefix.slice(2)]
    const loose = namesIn(join(this.#folder, folder)).filter((name) => name.startsWith(rest))
    return [...new Set([...packed, ...loose.map((name) => folder + name)])]
  }

  /** An object by its full id. Null if it is not here; throws if unknown. */
  object(id: string): GitObject | null {
    const found = this.#object(id)
    if (found !== null) return found
    this.#notePacks()
    return this.#object(id)
  }

  #look(portion: number): History {
    // Alternates add the objects of another repository, and a partial clone fetches missing objects.
    if (this.#isHopeless || namesIn(join(this.#folder, 'info')).includes('alternates')) return 'unknown'
    if (this.#notePacks()) return 'unknown'
    const left = { objects: portion }
    for (const packed of this.#packs.values()) {
      const count = Math.min(left.objects, packed.pack.count - packed.next)
      if (count > 0)
        packed.pack.forEachTree(packed.next, count, (tree) => {
          packed.holds ||= this.#isGuarded(tree, '', 0)
        })
      packed.next += count
      left.objects -= count
    }
    this.#lookAtLoose(left)
    const isWhole = left.objects > 0
    if ([...this.#packs.values(), ...this.#loose.values()].some(({ holds }) => holds)) return 'holds'
    return isWhole ? 'clean' : 'unknown'
  }

  /** True if objects may be missing here that git would fetch. */
  #notePacks(): boolean {
    const names = namesIn(join(this.#folder, 'pack'))
    const indexes = names.filter((name) => name.endsWith('.idx'))
    for (const name of this.#packs.keys()) if (!indexes.includes(name)) this.#packs.delete(name)
    for (const name of indexes)
      if (!this.#packs.has(name))
        this.#packs.set(name, { pack: new Pack(join(this.#folder, 'pack', name)), next: 0, holds: false })
    const isIndexed = (name: string) => indexes.includes(name.replace(/\.pack$/, '.idx'))
    return names.some((name) => name.endsWith('.promisor') || (name.endsWith('.pack') && !isIndexed(name)))
  }

  #lookAtLoose(left: { objects: number }): void {
    for (const folder of namesIn(this.#folder)) {
      if (!/^[0-9a-f]{2}$/.test(folder)) continue
      const { mtimeNs, ino } = statSync(join(this.#folder, folder), { bigint: true })
      const stamp = `${mtimeNs}:${ino}`
      const known = this.#loose.get(folder)
      if (known?.stamp === stamp) continue
      const names = namesIn(join(this.#folder, folder))
      const isGrown = known !== undefined && [...known.seen].every((name) => names.includes(name))
      const loose = isGrown ? known : { stamp: '', seen: new Set<string>(), holds: false }
      this.#loose.set(folder, loose)
      for (const name of names) {
        // Ids of SHA-256 are longer; temporary files have other names.
        if (/^[0-9a-f]{62}$/.test(name)) throw new UnreadablePack()
        if (loose.seen.has(name) || !/^[0-9a-f]{38}$/.test(name)) continue
        if (left.objects <= 0) return
        left.objects -= 1
        loose.holds ||= this.#isGuardedObject(folder, name)
        loose.seen.add(name)
      }
      loose.stamp = stamp
    }
  }

  #isGuardedObject(folder: string, name: string): boolean {
    const { type, content } = this.#looseObject(folder, name)
    return type === 'tree' && this.#isGuarded(content(), '', 0)
  }

  #looseObject(folder: string, name: string): { type: ObjectType; content: () => Buffer } {
    const path = join(this.#folder, folder, name)
    const isLarge = lstatSync(path).size > MAX_LOOSE_BYTES
    // No tree is that large.
    if (isLarge) return { type: 'blob', content: () => Buffer.alloc(0) }
    const packed = readFile(path, MAX_LOOSE_BYTES)
    const head = inflateSync(packed.subarray(0, 512), { finishFlush: 2, maxOutputLength: 1024 * 1024 })
    const type = /^(commit|tree|blob|tag) \d+\0/.exec(head.toString('latin1', 0, 40))?.[1]
    if (type === undefined) throw new UnreadablePack()
    const content = () => {
      const whole = inflateSync(packed, { maxOutputLength: MAX_LOOSE_BYTES })
      return whole.subarray(whole.indexOf(0) + 1)
    }
    return { type: type as ObjectType, content }
  }

  /** Protection depends on the name of a file and of its folders, so a relevant folder is entered by its own path. */
  #isGuarded(tree: Buffer, path: string, depth: number): boolean {
    for (const { mode, name: last, id } of entriesOf(tree)) {
      const name = path + last
      if (mode === GITLINK_MODE) continue
      if (mode !== FOLDER_MODE) {
        if (isSuspect(name) && isProtectedFile(name)) return true
      } else if (SUSPECT_FOLDER.test(`/${name}/`)) {
        // A missing object cannot be shown to be harmless.
        const inner = depth < MAX_DEPTH ? this.#object(id) : null
        if (inner === null || this.#isGuarded(inner.content, `${name}/`, depth + 1)) return true
      }
    }
    return false
  }

  #object(id: string): GitObject | null {
    for (const { pack } of this.#packs.values()) {
      const found = pack.object(id)
      if (found !== null) return found
    }
    const [folder, name] = [id.slice(0, 2), id.slice(2)]
    if (!namesIn(join(this.#folder, folder)).includes(name)) return null
    const { type, content } = this.#looseObject(folder, name)
    return { type, content: content() }
  }
}

export const FOLDER_MODE = '40000'
export const GITLINK_MODE = '160000'

export interface TreeEntry {
  mode: string
  name: string
  id: string
}

/** The entries of a tree. Throws unless it can be read to the last byte. */
export function* entriesOf(tree: Buffer): Generator<TreeEntry> {
  for (let at = 0; at < tree.length; ) {
    const blank = tree.indexOf(0x20, at)
    const end = blank < 0 ? -1 : tree.indexOf(0, blank)
    if (end < 0 || end + ID_BYTES >= tree.length) throw new UnreadablePack()
    yield {
      mode: tree.toString('latin1', at, blank),
      name: tree.toString('utf8', blank + 1, end),
      id: tree.toString('hex', end + 1, end + 1 + ID_BYTES),
    }
    at = end + 1 + ID_BYTES
  }
}

const ID_BYTES = 20

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
