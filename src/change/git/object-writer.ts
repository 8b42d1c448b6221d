/** Writes single git objects and references into a store, without starting git. */

import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'

const compress = promisify(deflate)

export type ObjectType = 'blob' | 'tree' | 'commit'

export class ObjectWriter {
  readonly #store: string
  readonly #algorithm: 'sha1' | 'sha256'

  constructor(store: string, isSha256: boolean) {
    this.#store = store
    this.#algorithm = isSha256 ? 'sha256' : 'sha1'
  }

  /** Resolves with the id of the object, which is there from then on. */
  async write(type: ObjectType, content: Uint8Array): Promise<string> {
    const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])
    const id = createHash(this.#algorithm).update(whole).digest('hex')
    const path = join(this.#store, 'objects', id.slice(0, 2), id.slice(2))
    if (!existsSync(path)) await this.#put(path, await compress(whole, { level: 1 }), 0o400)
    return id
  }

  /** A tree of entries that are given in the order of their names. */
  tree(entries: readonly { mode: '40000' | '100644'; name: string; id: string }[]): Promise<string> {
    const parts = entries.flatMap(({ mode, name, id }) => [
      Buffer.from(`${mode} ${name}\0`, 'latin1'),
      Buffer.from(id, 'hex'),
    ])
    return this.write('tree', Buffer.concat(parts))
  }

  async commit(tree: string, parent: string | null, seconds: number, message: string): Promise<string> {
    const by = `signalbox <signalbox> ${seconds} +0000`
    const head = [`tree ${tree}`, ...(parent === null ? [] : [`parent ${parent}`])]
    const text = [...head, `author ${by}`, `committer ${by}`, '', `${message}\n`].join('\n')
    return this.write('commit', Buffer.from(text))
  }

  async setReference(name: string, id: string): Promise<void> {
    await this.#put(join(this.#store, name), Buffer.from(`${id}\n`), 0o600)
  }

  /** Atomic: a reader never sees half of it. */
  async #put(path: string, content: Uint8Array, mode: number): Promise<void> {
    const temporary = join(this.#store, `tmp_${randomBytes(8).toString('hex')}`)
    await writeFile(temporary, content, { mode })
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await rename(temporary, path)
  }
}
