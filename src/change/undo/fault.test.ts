/** An undo that fails at any step is rolled back; where that fails too, as on a full disk, it is finished later. */

import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pictureOfDisk } from '../../../test/support/undo-world.js'
import { aCall, makeWorkspace } from '../../../test/support/workspace.js'
import { createIdSource } from '../../lib/id.js'
import { applyPlan, finishJournal, HalfDone, leftJournal, newJournal } from './apply.js'
import { HeldTree } from './held-tree.js'
import { Undo } from './undo.js'

const WRITES = ['write', 'remove', 'setMode', 'makeFolder', 'removeFolder'] as const

/** Fails from the given write on: `once`, or until it is replaced. */
function failingTree(root: string, from: number, isOnce: boolean): HeldTree {
  const tree = new HeldTree(root, false)
  let count = 0
  for (const name of WRITES) {
    const work = tree[name].bind(tree) as (...args: unknown[]) => Promise<never>
    Object.assign(tree, {
      [name]: (...args: unknown[]) => {
        count += 1
        const isFailing = isOnce ? count === from : count >= from
        // Folders are removed as far as they are empty: that cannot fail.
        if (!isFailing || name === 'removeFolder') return work(...args)
        return Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' }))
      },
    })
  }
  return tree
}

/** A call that does a little of everything, and the plan of its undo. */
async function prepare() {
  const made = await makeWorkspace()
  const { workspace, write, at, remove, root, records } = made
  write('edited', 'one\n')
  write('old/deep/gone', 'gone\n')
  write('mode', 'same\n')
  write('swap', 'a file\n')
  await workspace.changes.before(aCall('call'))
  const start = pictureOfDisk(root)
  write('edited', 'two\n')
  remove('old')
  chmodSync(at('mode'), 0o600)
  write('new/file', 'new\n')
  remove('swap')
  mkdirSync(at('swap'))
  write('swap/inner', 'inner\n')
  symlinkSync('edited', at('link'))
  await workspace.changes.after({ sessionId: 'ses_1', toolUseId: 'call' })
  const undo = new Undo(workspace, { ids: createIdSource(), append: async () => {} })
  const changes = records.map(({ data }) => data)
  const { plan } = await undo.preview({ sessionId: 'ses_1', changes, only: null })
  const path = join(made.folder, 'undo.json')
  const deps = (tree: HeldTree) => ({ tree, trees: workspace.store.trees, path })
  return { root, start, done: pictureOfDisk(root), path, deps, journal: newJournal(plan, {}, null) }
}

test('each step of an undo can fail, once or for as long as the disk is full', async () => {
  const { root, start, done, path, deps, journal } = await prepare()
  const outcomes: string[] = []
  for (let from = 1; from <= 20; from += 1) {
    const rolledBack = await applyPlan(journal, deps(failingTree(root, from, true))).then(
      () => false,
      () => true,
    )
    if (!rolledBack) break // There are no more steps.
    expect(pictureOfDisk(root), `one failure at ${from}`).toEqual(done)
    expect(existsSync(path)).toBe(false)

    const error = await applyPlan(journal, deps(failingTree(root, from, false))).catch((it: unknown) => it)
    if (error instanceof HalfDone) {
      outcomes.push('finished')
      expect(leftJournal(path), `all failing from ${from}`).toMatchObject({ steps: journal.steps })
      expect(await finishJournal(journal, deps(new HeldTree(root, false)))).toEqual([])
      expect(pictureOfDisk(root), `all failing from ${from}`).toEqual(start)
      const back = journal.steps.map((step) => ({ path: step.path, from: step.to, to: step.from }))
      await applyPlan(
        { ...journal, steps: back, make: [], prune: ['old/deep', 'old'] },
        deps(new HeldTree(root, false)),
      )
    } else outcomes.push('rolled back')
    expect(pictureOfDisk(root)).toEqual(done)
  }
  expect(new Set(outcomes)).toEqual(new Set(['rolled back', 'finished']))
  expect(readdirSync(root).filter((name) => name.startsWith('.signalbox'))).toEqual([])
})
