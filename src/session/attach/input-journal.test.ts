import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { readInput } from './input-journal.js'

const disk = vi.hoisted(() => ({ isFull: false }))

/** A full disk takes the first bytes of what is written. */
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const writeSync = (file: number, data: Buffer, at: number) => {
    if (!disk.isFull) return fs.writeSync(file, data, at)
    if (at > 0) throw new Error('ENOSPC')
    return fs.writeSync(file, data, 0, 4)
  }
  return { ...fs, writeSync }
})

// The files of a worker share their modules: this one loads its own, and leaves none with a mock behind.
let open: (path: string) => import('./input-journal.js').InputJournal
beforeAll(async () => {
  vi.resetModules()
  const { InputJournal } = await import('./input-journal.js')
  open = (path) => new InputJournal(path)
})
afterAll(() => {
  vi.resetModules()
})

test('a line that a full disk has cut off does not move the lines behind it', async () => {
  const path = join(await temporaryFolder(), 'in.jsonl')
  const journal = open(path)
  journal.append(Buffer.from('{"a":1}\n'))

  disk.isFull = true
  expect(() => journal.append(Buffer.from('{"b":2}\n'))).toThrow('ENOSPC')
  disk.isFull = false
  const place = journal.append(Buffer.from('{"c":3}\n'))

  expect(readInput(path).map(({ value }) => value)).toEqual([{ a: 1 }, { c: 3 }])
  expect(readInput(path).at(-1)).toMatchObject(place)
  journal.close()
})
