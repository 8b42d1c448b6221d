import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { notice } from '../../test/support/build.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { Spool } from './spool.js'

const NOW = '2026-11-16T12:00:00.000Z'

async function setup() {
  const path = join(await temporaryFolder(), 'spool')
  const spool = new Spool(path)
  const entry = (text: string) => ({
    type: 'append' as const,
    sessionId: 'ses_1',
    drafts: [{ ...notice(text), id: `evt_${text}`, at: NOW }],
    options: {},
  })
  return { path, spool, entry }
}

test('an entry that a power cut has damaged does not take those before it along', async () => {
  const { path, spool, entry } = await setup()
  spool.add(entry('ä kept'))
  const whole = readFileSync(path)
  spool.add(entry('damaged'))
  spool.add(entry('behind'))
  spool.close()
  writeFileSync(path, Buffer.concat([whole, Buffer.alloc(64), Buffer.from('\n'), whole.subarray(60)]))

  const again = new Spool(path)

  expect(again.id).toBe(spool.id)
  expect(again.left.map(({ n }) => n)).toEqual([1])
  expect(readFileSync(path)).toEqual(whole)
  expect(again.add(entry('next')).n).toBe(2)
  again.close()
})

test('numbers that the hub has taken are not given again', async () => {
  const { spool, entry } = await setup()

  spool.continueBehind(7)

  expect(spool.add(entry('next')).n).toBe(8)
  spool.continueBehind(3)
  expect(spool.add(entry('more')).n).toBe(9)
  spool.close()
})

test('an entry that the disk refuses is not waited for', async () => {
  const { spool, entry } = await setup()
  spool.close()

  expect(() => spool.add(entry('refused'))).toThrow()

  expect(spool.left).toEqual([])
})
