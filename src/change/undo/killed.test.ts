/** A process that is killed with SIGKILL in the middle loses nothing: the next one finishes. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { withBundle } from '../../../scripts/bundle-typescript.mjs'
import { pictureOfDisk } from '../../../test/support/undo-world.js'
import { aCall, makeWorkspace } from '../../../test/support/workspace.js'
import { createIdSource } from '../../lib/id.js'
import { Undo, type UndoneData } from './undo.js'

const DIES_AT = fileURLToPath(new URL('../../../test/support/dies-at.mjs', import.meta.url))
/** `npm run chaos:undo`: at each change of a file; here at some of them. */
const STEP = process.env['CHAOS'] === 'full' ? 1 : 29

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

async function run(
  folder: string,
  request: unknown,
  death: { DIES_AT?: string; DIES_AFTER?: string } = {},
): Promise<ChildProcess> {
  const file = join(folder, 'request.json')
  writeFileSync(file, JSON.stringify(request))
  const preload = death.DIES_AT === undefined ? [] : ['--import', DIES_AT]
  const child = spawn(process.execPath, [...preload, program, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...death },
  })
  if (death.DIES_AT !== undefined) return child
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

test(
  'before and after each file that an undo changes: everything is as before, or undone',
  async () => {
    const { folder, root, options, workspace, open, write, at, remove, records } = await makeWorkspace()
    write('edited', 'one\n')
    write('old/deep/gone', 'gone\n')
    write('mode', 'same\n')
    write('swap', 'a file\n')
    symlinkSync('edited', at('link'))
    await workspace.changes.before(aCall('one'))
    const before = pictureOfDisk(root)
    write('edited', 'two\n')
    remove('old')
    chmodSync(at('mode'), 0o600)
    write('new/file', 'new\n')
    remove('swap')
    write('swap/inner', 'inner\n')
    remove('link')
    symlinkSync('mode', at('link'))
    await workspace.changes.after({ sessionId: 'ses_1', toolUseId: 'one' })
    const after = pictureOfDisk(root)
    const request = { options, changes: records.map(({ data }) => data) }
    const copy = (from: string, to: string) => {
      rmSync(to, { recursive: true, force: true })
      cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
    }
    const places = [root, options.folder]
    for (const place of places) copy(place, `${place}.saved`)
    const outcomes = new Set<string>()

    for (const isAfter of [false, true])
      for (let count = 1; ; count += STEP) {
        for (const place of places) copy(`${place}.saved`, place)
        const child = await run(folder, request, { DIES_AT: String(count), DIES_AFTER: String(isAfter) })
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
        await new Undo(open(), { ids: createIdSource(), append: async () => {} }).recover()
        const found = pictureOfDisk(root)
        const where = `killed ${isAfter ? 'after' : 'before'} change ${count}`
        outcomes.add(isDeepStrictEqual(found, before) ? 'undone' : 'as before')
        if (!isDeepStrictEqual(found, before)) expect(found, where).toEqual(after)
        expect(
          readdirSync(root, { recursive: true }).filter((name) => String(name).includes('.signalbox')),
          where,
        ).toEqual([])
        if (child.signalCode === null) break
      }

    expect(outcomes).toEqual(new Set(['as before', 'undone']))
  },
  STEP === 1 ? 3_600_000 : 240_000,
)

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
