import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { createSecretSet } from '../../lib/redact/secret-set.js'
import { createSdkLog } from './sdk-log.js'

const one = { id: 'ses_1', externalId: null }
const other = { id: 'ses_2', externalId: 'chat 7' }

async function setup() {
  const folder = join(await temporaryFolder(), 'logs')
  const clock = createManualClock(Date.UTC(2026, 10, 15, 23, 59))
  const log = createSdkLog({ folder, clock, redact: async (text) => text.replaceAll('secret', '***') })
  const lines = async (day: string) =>
    (await readFile(join(folder, `sdk-${day}.jsonl`), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  return { folder, clock, log, lines }
}

test('every input and output is a line with its time, session and direction, in a file of its day', async () => {
  const { clock, log, lines, folder } = await setup()
  log.write(one, 'input', { content: 'hello' })
  log.write(one, 'output', { type: 'result', text: 'the secret' })
  clock.advance(60_000)
  log.write(other, 'output', { type: 'result' })
  await log.close()

  expect(await lines('2026-11-15')).toEqual([
    {
      timestamp: '2026-11-15T23:59:00.000Z',
      sessionId: 'ses_1',
      direction: 'input',
      data: { content: 'hello' },
    },
    {
      timestamp: '2026-11-15T23:59:00.000Z',
      sessionId: 'ses_1',
      direction: 'output',
      data: { type: 'result', text: 'the ***' },
    },
  ])
  expect(await lines('2026-11-16')).toEqual([
    expect.objectContaining({ sessionId: 'ses_2', externalId: 'chat 7' }),
  ])
  expect((await stat(join(folder, 'sdk-2026-11-15.jsonl'))).mode & 0o777).toBe(0o600)
})

test('a line stays JSON where a secret contains quotes', async () => {
  const { folder, clock, lines } = await setup()
  const secrets = createSecretSet(['hunter77"tail-of-it'])
  const log = createSdkLog({ folder, clock, redact: secrets.redactInSlices })
  log.write(one, 'input', { content: 'he said "hunter77" and left' })
  await log.close()
  expect(await lines('2026-11-15')).toMatchObject([
    { data: { content: expect.stringContaining('and left') } },
  ])
})

test('where the caller has ids of its own, a line can be about those, with ours beside it', async () => {
  const { folder, clock, lines } = await setup()
  const log = createSdkLog({ folder, hasCallerIds: true, clock, redact: async (text) => text })
  log.write(one, 'input', 1)
  log.write(other, 'input', 2)
  await log.close()
  expect(await lines('2026-11-15')).toMatchObject([
    { sessionId: 'ses_1', data: 1 },
    { sessionId: 'chat 7', externalId: 'chat 7', signalboxId: 'ses_2', data: 2 },
  ])
})

test('fragments are left out: the whole message follows', async () => {
  const { log, folder } = await setup()
  log.write(one, 'output', { type: 'stream_event', event: {} })
  await log.close()
  expect(await readdir(folder).catch(() => [])).toEqual([])
})

test('a log that cannot be written disturbs nobody', async () => {
  const { folder } = await setup()
  const faulty = createSdkLog({
    folder: join(folder, 'no', '\0', 'where'),
    clock: createManualClock(),
    redact: async (text) => text,
  })
  expect(() => faulty.write(one, 'input', {})).not.toThrow()
  await faulty.close()
})

test('what cannot be written is counted in the next line', async () => {
  const { log, lines } = await setup()
  log.write(one, 'input', { count: 1n })
  log.write(one, 'input', 'hello')
  await log.close()
  expect(await lines('2026-11-15')).toMatchObject([{ data: 'hello', lost: 1 }])
})

test('lines are written soon, however many come at once', async () => {
  const { log, lines } = await setup()
  for (let number = 0; number < 100; number += 1) log.write(one, 'output', number)
  await expect
    .poll(async () => (await lines('2026-11-15').catch(() => [])).map(({ data }) => data))
    .toEqual(Array.from({ length: 100 }, (_, number) => number))
  await log.close()
})

test('a closed log that is written to opens again', async () => {
  const { log, lines } = await setup()
  log.write(one, 'input', 1)
  await log.close()
  log.write(one, 'input', 2)
  await log.close()
  expect(await lines('2026-11-15')).toHaveLength(2)
})

test('when its folder is deleted, the log begins anew with the next line', async () => {
  const { log, lines, folder } = await setup()
  log.write(one, 'input', { content: 'before' })
  await expect.poll(async () => (await lines('2026-11-15')).length).toBe(1)
  await rm(folder, { recursive: true })

  log.write(one, 'input', { content: 'after' })
  await log.close()

  expect(await lines('2026-11-15')).toMatchObject([{ data: { content: 'after' } }])
})

test('a log that cannot be written is reported once', async () => {
  const parent = await temporaryFolder()
  await writeFile(join(parent, 'logs'), 'a file in its place')
  const faults: unknown[] = []
  const log = createSdkLog({
    folder: join(parent, 'logs'),
    clock: createManualClock(),
    redact: async (text) => text,
    onFault: (error) => faults.push(error),
  })

  log.write(one, 'input', {})
  log.write(one, 'input', {})
  await log.close()

  expect(faults.map(String)).toEqual([expect.stringContaining('cannot be written')])
})
