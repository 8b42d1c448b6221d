/** What could not be sent, kept in the browser until it can be: the page may be closed meanwhile. */

import type { Answer, SendMessage } from '../../../src/protocol/index.js'

/** Its key is the one that it is sent with, so that it can be sent twice and happens once. */
export type Kept =
  | { key: string; kind: 'answer'; requestId: string; body: Answer }
  | { key: string; kind: 'message'; sessionId: string; body: SendMessage }

const NAME = 'signalbox'
const TABLE = 'kept'

/** False: this browser keeps nothing, and what is held is lost with the page. */
export async function keep(item: Kept): Promise<boolean> {
  try {
    await work('readwrite', (table) => table.put(item))
    return true
  } catch {
    return false
  }
}

export async function forget(key: string): Promise<void> {
  await work('readwrite', (table) => table.delete(key)).catch(() => {})
}

export async function forgetAll(): Promise<void> {
  await work('readwrite', (table) => table.clear()).catch(() => {})
}

/** In the order of their keys: the oldest first. */
export async function allKept(): Promise<Kept[]> {
  try {
    // Nothing else writes into this table.
    return (await work('readonly', (table) => table.getAll())) as Kept[]
  } catch {
    return []
  }
}

/** Sortable, so that messages go out as they were written. */
export function newKey(): string {
  return `${Date.now().toString(36)}-${crypto.randomUUID()}`
}

async function work<Value>(
  mode: IDBTransactionMode,
  act: (table: IDBObjectStore) => IDBRequest<Value>,
): Promise<Value> {
  const database = await open()
  try {
    const transaction = database.transaction(TABLE, mode)
    const asked = act(transaction.objectStore(TABLE))
    return await new Promise<Value>((resolve, reject) => {
      transaction.addEventListener('complete', () => resolve(asked.result))
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('not stored')))
    })
  } finally {
    database.close()
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open(NAME, 1)
    asked.addEventListener('upgradeneeded', () => asked.result.createObjectStore(TABLE, { keyPath: 'key' }))
    asked.addEventListener('success', () => resolve(asked.result))
    asked.addEventListener('error', () => reject(asked.error ?? new Error('not opened')))
    asked.addEventListener('blocked', () => reject(new Error('not opened')))
  })
}
