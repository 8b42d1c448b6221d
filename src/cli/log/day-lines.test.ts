import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { DayLines } from './day-lines.js'

const all = (_line: string) => true

async function setup() {
  const folder = join(await temporaryFolder(), 'logs')
  const append = (day: string, text: string) => {
    mkdirSync(folder, { recursive: true })
    appendFileSync(join(folder, `daemon-2026-11-${day}.jsonl`), text)
  }
  const last = (lines: DayLines, count: number, wanted = all, sinceDay: string | null = null) =>
    lines.last({ isWanted: wanted, sinceDay, count })
  return { folder, append, last, lines: new DayLines(folder, 'daemon') }
}

test('the last lines come from as many days as are needed, oldest first', async () => {
  const { folder, append, last } = await setup()
  append('01', 'a\nb\n')
  append('02', '')
  append('03', 'c\nd\n')
  mkdirSync(join(folder, 'sdk-2026-11-03.jsonl'))
  const read = (count: number, sinceDay: string | null = null) =>
    last(new DayLines(folder, 'daemon'), count, all, sinceDay)

  expect(await Promise.all([0, 1, 3, 9].map((count) => read(count)))).toEqual([
    [],
    ['d'],
    ['b', 'c', 'd'],
    ['a', 'b', 'c', 'd'],
  ])
  expect(await read(9, '2026-11-02')).toEqual(['c', 'd'])
})

test('following continues behind the last lines: over the end of a day, a deletion and a truncation', async () => {
  const { folder, append, last, lines } = await setup()
  append('01', 'a\nb\nhalf')
  expect(await last(lines, 1)).toEqual(['b'])

  append('01', ' a line\nc\n')
  append('02', 'd\n')
  expect(lines.next(all)).toEqual(['half a line', 'c', 'd'])
  expect(lines.next(all)).toEqual([])
  writeFileSync(join(folder, 'daemon-2026-11-02.jsonl'), '')
  expect(lines.next(all)).toEqual([])
  append('02', 'f\n')
  expect(lines.next(all)).toEqual(['f'])
  rmSync(folder, { recursive: true })
  expect(lines.next(all)).toEqual([])
  append('02', 'g\n')
  expect(lines.next(all)).toEqual(['g'])
})

test('without any lines shown, following begins at the end of the last whole line', async () => {
  const { append, last, lines } = await setup()
  append('01', 'a\n')
  append('02', 'b\nhal')
  expect(await last(lines, 0)).toEqual([])
  append('02', 'f\nc\n')
  expect(lines.next(all)).toEqual(['half', 'c'])
})

test('a folder that is not there yet has no lines, and is not made', async () => {
  const { folder, append, last, lines } = await setup()
  expect(await last(lines, 5)).toEqual([])
  expect(() => readdirSync(folder)).toThrow()
  append('01', 'a\n')
  expect(lines.next(all)).toEqual(['a'])
})

test('of many lines only the wanted ones are kept', async () => {
  const { append, last, lines } = await setup()
  append('01', Array.from({ length: 5_000 }, (_, number) => `line ${number}\n`).join(''))
  expect(await last(lines, 2, (line) => line.endsWith('7'))).toEqual(['line 4987', 'line 4997'])
})
