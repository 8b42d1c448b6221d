/** A box that several managers or builders of one process use together: a home has room for one. */

import { resolve } from 'node:path'
import { createSignalbox, type Signalbox, type SignalboxOptions } from '../library/signalbox.js'

interface Shared {
  users: number
  readonly box: Promise<Signalbox>
}

const shared = new Map<string, Shared>()

export interface BoxLease {
  readonly box: Promise<Signalbox>
  /** Ends the box when nobody else uses it. May be called twice. */
  release(): Promise<void>
}

/** The options of whoever is first hold for all. */
export function leaseBox(options: SignalboxOptions & { home: string }): BoxLease {
  const home = resolve(options.home)
  const entry = shared.get(home) ?? { users: 0, box: createSignalbox(options) }
  shared.set(home, entry)
  entry.users += 1
  // A box that can not be opened must not stand in the way of the next try.
  entry.box.catch(() => forget(home, entry))
  let isReleased = false
  return {
    box: entry.box,
    async release() {
      if (isReleased) return
      isReleased = true
      entry.users -= 1
      if (entry.users > 0) return
      forget(home, entry)
      await entry.box.then(
        (box) => box.close(),
        () => {},
      )
    },
  }
}

function forget(home: string, entry: Shared): void {
  if (shared.get(home) === entry) shared.delete(home)
}
