/** Requests that change something, while nothing can be stored: refused at once, or after a short wait. */

import type { Route } from '../protocol/route.js'
import { type StorageProblem, storageUnavailable } from '../protocol/storage.js'
import { CLIENT_WAIT_MS, type Storage } from '../store/port.js'

/** Commands that end work are let through while storage fails: they take effect, and are recorded later. */
export async function whileStored<Reply>(
  storage: Storage,
  { method, endsWork }: Pick<Route, 'method' | 'endsWork'>,
  handle: () => Promise<Reply>,
): Promise<Reply> {
  if (method === 'GET') return handle()
  const { problem } = storage
  if (problem && !endsWork) throw storageUnavailable(problem)
  const patience = new Patience(storage)
  try {
    return await Promise.race([handle(), patience.isOver])
  } finally {
    patience.close()
  }
}

/** Rejects when a problem has lasted longer than a client should wait. */
class Patience {
  readonly isOver: Promise<never>
  readonly #leave: () => void
  #timer: NodeJS.Timeout | null = null

  constructor(storage: Storage) {
    let reject: (error: Error) => void = () => {}
    this.isOver = new Promise((_, refuse) => {
      reject = refuse
    })
    const look = (problem: StorageProblem | null) => {
      if (this.#timer) clearTimeout(this.#timer)
      this.#timer = problem && setTimeout(() => reject(storageUnavailable(problem)), CLIENT_WAIT_MS).unref()
    }
    this.#leave = storage.onChange(look)
    if (storage.problem) look(storage.problem)
  }

  close(): void {
    this.#leave()
    if (this.#timer) clearTimeout(this.#timer)
  }
}
