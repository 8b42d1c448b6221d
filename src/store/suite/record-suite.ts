/** Records. */

import { expect, test } from 'vitest'
import { recordOf } from '../../audit/chain.js'
import { auditEntry } from '../../audit/entry.js'
import { AT, type OpenedStore } from './opened-store-suite.js'

export function recordSuite(opened: OpenedStore): void {
  test('records are kept by kind and id, replaced and deleted', async () => {
    const { store } = opened
    await store.saveRecords([
      { kind: 'pet', id: 'b', body: { name: 'Bo', ages: [1, 2] } },
      { kind: 'pet', id: 'a', body: 'plain' },
      { kind: 'tree', id: 'a', body: { name: 'Ash' } },
    ])
    await store.saveRecords([{ kind: 'pet', id: 'a', body: 7 }])

    expect(await store.records('pet')).toEqual([
      { id: 'a', body: 7 },
      { id: 'b', body: { name: 'Bo', ages: [1, 2] } },
    ])
    expect(await store.record('tree', 'a')).toEqual({ name: 'Ash' })
    await store.saveRecords([{ kind: 'pet', id: 'a', body: null }])
    expect([await store.record('pet', 'a'), await store.record('none', 'a')]).toEqual([null, null])
    expect(await store.records('pet')).toHaveLength(1)
  })

  test('records are listed newest first, in pages', async () => {
    const { store } = opened
    await store.saveRecords(['1', '2', '3', '4'].map((id) => ({ kind: 'day', id, body: id })))

    const idsOf = async (filter: { before?: string; limit?: number }) =>
      (await store.records('day', filter)).map(({ id }) => id)
    expect(await idsOf({ limit: 2 })).toEqual(['4', '3'])
    expect(await idsOf({ before: '3', limit: 2 })).toEqual(['2', '1'])
    expect(await idsOf({ before: '1' })).toEqual([])
  })

  test('several changes are saved together with their audit entry, or not at all', async () => {
    const { store } = opened
    const audit = auditEntry({ at: AT, kind: 'policy.changed', by: 'person', subject: 's', verdict: 'done' })
    await store.saveRecords([{ kind: 'pet', id: 'a', body: 1 }], { audit })
    const bad = [
      { kind: 'pet', id: 'a', body: 2 },
      { kind: 'pet', id: 'b', body: 1n },
    ]

    await expect(store.saveRecords(bad, { audit })).rejects.toThrow()

    expect(await store.records('pet')).toEqual([{ id: 'a', body: 1 }])
    expect((await store.audit()).map((row) => recordOf(row).subject)).toEqual(['s'])
  })
}
