/** The store as one process uses it: after its kill nothing is answered, and the kill may come within any write. */

import type { Store } from '../../src/store/port.js'

export interface Mortality {
  /** Asked at each write: whether the process is killed before it, or after it and before its acknowledgement. */
  onWrite(): 'before' | 'after' | null
  isAlive(): boolean
}

export function mortalStore(store: Store, { onWrite, isAlive }: Mortality): Store {
  const never = new Promise<never>(() => {})
  const guarded = { ...store }
  for (const name of ['append', 'saveRecords'] as const) {
    const real = store[name] as (...values: unknown[]) => Promise<unknown>
    const write = async (...values: unknown[]) => {
      if (!isAlive()) return never
      const death = onWrite()
      if (death === 'before') return never
      const result = await real.call(store, ...values)
      return death === 'after' || !isAlive() ? never : result
    }
    Object.assign(guarded, { [name]: write })
  }
  return guarded
}
