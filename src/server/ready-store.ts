/** Whether what happens now can be stored and read. Rejects with the reason. */

import { storageUnavailable } from '../protocol/storage.js'
import type { Store } from '../store/port.js'

export async function readyStore(store: Pick<Store, 'storage' | 'lastPosition'>): Promise<void> {
  const { problem } = store.storage
  if (problem) throw storageUnavailable(problem)
  await store.lastPosition()
}
