/** Queue of unsent answers and messages in IndexedDB, so that they survive closing the page. */

import type { Answer, SendMessage } from '../../../src/protocol/index.js'

/** `key` is also the idempotency key, so that an item that is sent twice takes effect once. */
export type OfflineItem =
  | { key: string; kind: 'answer'; requestId: string; body: Answer }
  | { key: string; kind: 'message'; sessionId: string; body: SendMessage }

const DATABASE = 'signalbox'
const OBJECT_STORE = 'kept'

/** False: this browser cannot store anything, and the item is lost when the page is closed. */
export async function saveOffline(item: OfflineItem): Promise<boolean> {
  try {
    await transact('readwrite', (store) => store.put(item))
    return true
  } catch {
    return false
  }
}

export async function removeOffline(key: string): Promise<void> {
  await transact('readwrite', (store) => store.delete(key)).catch(() => {})
}

export async function clearOffline(): Promise<void> {
  await transact('readwrite', (store) => store.clear()).catch(() => {})
}

/** Sorted by key, oldest first. */
export async function listOffline(): Promise<OfflineItem[]> {
  try {
    // Only `saveOffline` writes to this object store.
    return (await transact('readonly', (store) => store.getAll())) as OfflineItem[]
  } catch {
    return []
  }
}

/** Sortable by time, so that messages are sent in the order in which they were written. */
export function newKey(): string {
  return `${Date.now().toString(36)}-${crypto.randomUUID()}`
}

async function transact<Value>(
  mode: IDBTransactionMode,
  run: (store: IDBObjectStore) => IDBRequest<Value>,
): Promise<Value> {
  const database = await open()
  try {
    const transaction = database.transaction(OBJECT_STORE, mode)
    const request = run(transaction.objectStore(OBJECT_STORE))
    return await new Promise<Value>((resolve, reject) => {
      transaction.addEventListener('complete', () => resolve(request.result))
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('not stored')))
    })
  } finally {
    database.close()
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1)
    request.addEventListener('upgradeneeded', () =>
      request.result.createObjectStore(OBJECT_STORE, { keyPath: 'key' }),
    )
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('not opened')))
    request.addEventListener('blocked', () => reject(new Error('not opened')))
  })
}
