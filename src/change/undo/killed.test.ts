/** A process that is killed with SIGKILL in the middle loses nothing: the next one finishes. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { withBundle } from '../../../scripts/bundle-typescript.mjs'
import { aCall, makeWorkspace } from '../../../test/support/workspace.js'
import { createIdSource } from '../../lib/id.js'
import { Undo, type UndoneData } from './undo.js'

let program: string
let finish = () => {}

beforeAll(async () => {
  const isDone = new Promise<void>((resolve) => {
    finish = resolve
  })
  await new Promise<void>((resolve, reject) => {
    withBundle('test/support/undo-process.ts', (file: string) => {
      program = file
      resolve()
      return isDone
    }).catch(reject)
  })
  return () => finish()
})

async function run(folder: string, request: unknown): Promise<ChildProcess> {
  const file = join(folder, 'request.json')
  writeFileSync(file, JSON.stringify(request))
  const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  if (child.stdout) await once(child.stdout, 'data')
  return child
}

async function kill(child: ChildProcess, isTime: () => boolean): Promise<void> {
  while (child.exitCode === null && !isTime()) await wait(1)
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

test.each([1, 12, 25])('in the middle of an undo, after %i files', async (count) => {
  const { folder, options, workspace, open, write, at, records } = await makeWorkspace()
  const names = Array.from({ length: 30 }, (_, index) => `d${index % 3}/f${index}`)
  for (const name of names) write(name, `before ${name}\n`)
  await workspace.changes.before(aCall('one'))
  for (const name of names) write(name, `after ${name}\n`)
  await workspace.changes.after({ sessionId: 'ses_1', toolUseId: 'one' })
  const restored = () => names.filter((name) => readFileSync(at(name), 'utf8') === `before ${name}\n`).length

  await kill(
    await run(folder, { options, changes: records.map(({ data }) => data) }),
    () => restored() >= count,
  )

  expect(restored()).toBeGreaterThanOrEqual(count)
  const hasJournal = existsSync(join(options.folder, 'undo.json'))
  write(names[29] ?? '', 'by a user, before the next start\n')
  const undone: UndoneData[] = []
  const again = new Undo(open(), { ids: createIdSource(), append: async (_, data) => void undone.push(data) })
  await again.recover()
  await again.recover()

  expect(restored()).toBe(29)
  expect(readFileSync(at(names[29] ?? ''), 'utf8')).toBe('by a user, before the next start\n')
  expect(undone.map(({ totals, skipped }) => [totals.files, skipped])).toEqual(
    hasJournal ? [[29, [names[29]]]] : [],
  )
})

test('in the middle of a snapshot', async () => {
  const { folder, options, open, write } = await makeWorkspace()
  const names = Array.from({ length: 2_500 }, (_, index) => `d${index % 50}/f${index}`)
  for (const name of names) write(name, `${name}\n`)

  await kill(await run(folder, { options, changes: null }), () =>
    existsSync(join(options.folder, 'index.lock')),
  )

  const workspace = open()
  const state = await workspace.changes.look()
  const listed = await workspace.store.trees.entries(state.tree, names)
  expect(listed.length).toBe(names.length)
})
