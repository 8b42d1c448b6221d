import { expect, test } from 'vitest'
import { createMemoryStore } from '../store/memory.js'
import { MAX_HISTORY, pruneHistory } from './history.js'
import { HISTORY } from './outbox-row.js'

test('the oldest notifications are deleted, and as many as the list keeps stay', async () => {
  const store = createMemoryStore({ newId: () => 'evt_1' })
  const ids = Array.from({ length: MAX_HISTORY + 5 }, (_, number) => `ntf_${String(number).padStart(5, '0')}`)
  await store.saveRecords(ids.map((id) => ({ kind: HISTORY, id, body: { id } })))

  await pruneHistory(store)

  expect((await store.records(HISTORY)).map(({ id }) => id)).toEqual(ids.slice(5))
})
