import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { pruneDayFiles } from './day-file.js'
import { createLogFile } from './log-file.js'

const START = Date.UTC(2026, 10, 15, 23, 59)
const DAY_MS = 86_400_000

async function setup(limits: { maxBytesPerDay?: number; maxDays?: number } = {}) {
  const home = await temporaryFolder()
  const folder = join(home, 'logs')
  const clock = createManualClock(START)
  const faults: unknown[] = []
  const open = () =>
    createLogFile({
      folder,
      kind: 'daemon',
      now: () => clock.now(),
      onFault: (error) => faults.push(error),
      ...limits,
    })
  const file = (day: string) => join(folder, `daemon-${day}.jsonl`)
  const text = (day: string) => readFileSync(file(day), 'utf8')
  return { home, folder, clock, faults, open, file, text }
}

test('each day has a private file, and a restart continues it', async () => {
  const { clock, folder, open, file, text } = await setup()
  const log = open()
  log.write('one')
  log.close()
  const next = open()
  next.write('two')
  clock.advance(60_000)
  next.write('three')

  expect([text('2026-11-15'), text('2026-11-16')]).toEqual(['one\ntwo\n', 'three\n'])
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(file('2026-11-15')).mode & 0o777).toBe(0o600)
})

test('only the newest days are kept', async () => {
  const { clock, folder, open } = await setup({ maxDays: 2 })
  const log = open()
  for (const line of ['one', 'two', 'three', 'four']) {
    log.write(line)
    clock.advance(DAY_MS)
  }
  expect(readdirSync(folder).toSorted()).toEqual(['daemon-2026-11-17.jsonl', 'daemon-2026-11-18.jsonl'])
})

test('a day that is full says so once, and the next day says how many lines are missing', async () => {
  const { clock, faults, open, text } = await setup({ maxBytesPerDay: 100 })
  const log = open()
  for (let count = 0; count < 20; count += 1) log.write('x'.repeat(19))
  clock.advance(DAY_MS)
  log.write('next')

  const lines = text('2026-11-15').trimEnd().split('\n')
  expect(lines.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => 'x'.repeat(19)))
  expect(lines.slice(5)).toEqual([expect.stringContaining('"message":"log_full"')])
  expect(text('2026-11-16').split('\n')).toEqual([
    expect.stringContaining('"message":"lines_lost","lost":15'),
    'next',
    '',
  ])
  expect(faults).toHaveLength(1)
})

test('a line that a crash has cut does not swallow the next one', async () => {
  const { folder, open, file, text } = await setup()
  mkdirSync(folder)
  writeFileSync(file('2026-11-15'), 'half a li')
  open().write('whole')
  expect(text('2026-11-15')).toBe('half a li\nwhole\n')
})

test('a file that is deleted meanwhile begins again', async () => {
  const { folder, open, text } = await setup()
  const log = open()
  log.write('one')
  rmSync(folder, { recursive: true })
  log.write('two')
  expect(text('2026-11-15')).toBe('two\n')
})

test('rights that are too wide are taken away, and nothing but a regular file is written', async () => {
  const { home, folder, faults, open, file } = await setup()
  mkdirSync(folder)
  writeFileSync(file('2026-11-15'), '', { mode: 0o644 })
  open().write('one')
  expect(statSync(file('2026-11-15')).mode & 0o777).toBe(0o600)

  const target = join(home, 'target')
  writeFileSync(target, '')
  rmSync(file('2026-11-15'))
  symlinkSync(target, file('2026-11-15'))
  open().write('two')
  expect(readFileSync(target, 'utf8')).toBe('')

  rmSync(file('2026-11-15'))
  execFileSync('mkfifo', [file('2026-11-15')])
  open().write('three')
  expect(faults).toHaveLength(2)
})

test('without its home nothing is written, and nothing is made', async () => {
  const { home, faults, open } = await setup()
  rmSync(home, { recursive: true })
  const log = open()
  log.write('one')
  log.write('two')
  expect(faults).toHaveLength(1)
  expect(statSync(home, { throwIfNoEntry: false })).toBeUndefined()
})

test('files of days that retention no longer wants are deleted, and nothing else', async () => {
  const { folder } = await setup()
  mkdirSync(folder)
  const names = ['sdk-2026-10-01.jsonl', 'sdk-2026-11-01.jsonl', 'sdk-2026-11-02.jsonl', 'notes.txt']
  for (const name of names) writeFileSync(join(folder, name), '')

  pruneDayFiles(folder, 'sdk', '2026-11-02T08:00:00.000Z')

  expect(readdirSync(folder)).toEqual(['notes.txt', 'sdk-2026-11-02.jsonl'])
  expect(() => pruneDayFiles(join(folder, 'nowhere'), 'sdk', '2026-11-02T08:00:00.000Z')).not.toThrow()
})
