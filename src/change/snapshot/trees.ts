/** Trees of the store: compared, read, and made with some entries changed. */

import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { InertGit } from '../../lib/git/inert-git.js'
import { argumentOf, type BytePath, pathsIn } from '../byte-path.js'
import { entryOf, readRawDiff, type TreeChange, type TreeEntry } from '../git/tree-diff.js'
import { recordFiles, writeTree } from './record-files.js'

/** Files that are asked for by name; if there are more, the whole tree is read. */
const MAX_NAMED = 500

export class Trees {
  readonly #git: InertGit
  readonly #workspace: string

  constructor(git: InertGit, workspace: string) {
    this.#git = git
    this.#workspace = workspace
  }

  /** The files in which two trees differ, without renames. */
  async compare(before: string, after: string, objects?: string): Promise<TreeChange[]> {
    if (before === after) return []
    const raw = ['diff-tree', '-r', '--raw', '-z', '--no-renames', before, after]
    return readRawDiff(await this.#git.run(raw, objects === undefined ? {} : { objects }))
  }

  /** The content of a file by its id. */
  async read(id: string): Promise<Buffer> {
    return this.#git.run(['cat-file', 'blob', id])
  }

  /** Some files of a tree. Those that it does not have are left out. */
  async entries(tree: string, paths: readonly BytePath[]): Promise<{ path: BytePath; entry: TreeEntry }[]> {
    const names = paths.map(argumentOf)
    const isNamed = names.length <= MAX_NAMED && !names.includes(null)
    const only = isNamed ? ['--', ...names.filter((name) => name !== null)] : []
    const output = await this.#git.run(['ls-tree', '-r', '-z', tree, ...only])
    const wanted = new Set(paths)
    return pathsIn(output).flatMap((line) => {
      const [, mode = '', id = '', path = ''] = /^(\d+) \w+ (\w+)\t(.*)$/s.exec(line) ?? []
      const entry = entryOf(mode, id)
      return entry !== null && wanted.has(path) ? [{ path, entry }] : []
    })
  }

  /** A tree of these files alone, as they are on disk now: ignored files that a call names. */
  async ofFiles(paths: readonly BytePath[]): Promise<string> {
    return this.#withIndex(async (index) => {
      const place = { git: this.#git, workspace: this.#workspace, index }
      await recordFiles(place, paths)
      return writeTree(place)
    })
  }

  /** A tree of these entries alone. */
  async ofEntries(entries: readonly Pick<TreeChange, 'path' | 'after'>[]): Promise<string> {
    return this.#withIndex(async (index) => {
      await this.#git.run(['update-index', '--replace', '-z', '--index-info'], {
        index,
        input: Buffer.from(entries.flatMap((entry) => indexLine(entry)).join(''), 'latin1'),
      })
      return writeTree({ git: this.#git, workspace: this.#workspace, index })
    })
  }

  async #withIndex<Result>(work: (index: string) => Promise<Result>): Promise<Result> {
    const index = join(this.#git.store, `index.${randomBytes(6).toString('hex')}`)
    try {
      return await work(index)
    } finally {
      await rm(index, { force: true })
    }
  }
}

const MODES = { file: '100644', program: '100755', link: '120000' } as const

function indexLine({ path, after }: Pick<TreeChange, 'path' | 'after'>): string[] {
  return after === null ? [] : [`${MODES[after.kind]} ${after.id}\t${path}\0`]
}
