/** An editor saves a file at the very moment in which an undo writes it: what it saved is there afterwards. */

import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import type { FileEntry } from '../snapshot/state-diff.js'
import type { HeldTree } from './held-tree.js'

const late = vi.hoisted(() => ({ before: () => {}, after: () => {} }))

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const moved: typeof fs.renameSync = (from, to) => {
    late.before()
    fs.renameSync(from, to)
    late.after()
  }
  return { ...fs, renameSync: moved }
})

vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>()
  const moved: typeof fs.rename = async (from, to) => {
    late.before()
    await fs.rename(from, to)
    late.after()
  }
  return { ...fs, rename: moved }
})

// The files of a worker share their modules: this one loads its own, and leaves none with a mock behind.
let Tree: typeof HeldTree
beforeAll(async () => {
  vi.resetModules()
  Tree = (await import('./held-tree.js')).HeldTree
})
afterAll(() => {
  vi.resetModules()
})

const TEMPORARY = '.signalbox-undo-1'
const entry = (text: string): FileEntry => ({
  kind: 'file',
  id: createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex'),
  mode: 0o644,
})
const content = (text: string) => ({ entry: entry(text), bytes: Buffer.from(text) })

async function setup() {
  const root = await temporaryFolder()
  const file = join(root, 'notes')
  writeFileSync(file, 'old\n', { mode: 0o644 })
  const once = (name: 'before' | 'after', work: () => void) => {
    late[name] = () => {
      late[name] = () => {}
      work()
    }
  }
  return { root, file, tree: new Tree(root, false), once }
}

afterEach(() => {
  late.before = () => {}
  late.after = () => {}
})

const write = (tree: HeldTree) => tree.write('notes', content('new\n'), TEMPORARY, entry('old\n'))
const remove = (tree: HeldTree) => tree.remove('notes', TEMPORARY, entry('old\n'))

test.each([
  ['written', write],
  ['removed', remove],
])('into a file that is being %s', async (_, work) => {
  const { root, file, tree, once } = await setup()
  once('before', () => appendFileSync(file, 'by a user\n'))

  await expect(work(tree)).rejects.toThrow('changed while')

  expect([readFileSync(file, 'utf8'), readdirSync(root)]).toEqual(['old\nby a user\n', ['notes']])
})

test('in the place of a file that is being removed', async () => {
  const { root, file, tree, once } = await setup()
  once('before', () => {
    writeFileSync(`${file}~`, 'by a user\n')
    renameSync(`${file}~`, file)
  })

  await expect(remove(tree)).rejects.toThrow('changed while')

  expect([readFileSync(file, 'utf8'), readdirSync(root)]).toEqual(['by a user\n', ['notes']])
})

test.each([
  ['written', write, 'new\n'],
  ['removed', remove, null],
])('and the process is killed while a file is being %s', async (_, work, expected) => {
  for (const isSaved of [false, true]) {
    const { root, file, tree, once } = await setup()
    once('before', () => isSaved && appendFileSync(file, 'by a user\n'))
    once('after', () => {
      throw new Error('killed')
    })
    await expect(work(tree)).rejects.toThrow('killed')

    expect(await tree.clearAside('notes', TEMPORARY, entry('old\n'))).toBe(!isSaved)

    const text = existsSync(file) ? readFileSync(file, 'utf8') : null
    expect(text).toBe(isSaved ? 'old\nby a user\n' : expected)
    expect(readdirSync(root)).toEqual(text === null ? [] : ['notes'])
  }
})
