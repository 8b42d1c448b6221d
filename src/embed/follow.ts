/** The journal as an async iterable, for programs that embed a runtime. */

import type { Journal } from '../journal/journal.js'
import { AsyncQueue } from '../lib/async-queue.js'
import type { Delta, SessionEvent } from '../protocol/event/event.js'

export interface FollowOptions {
  /** One session; without it, all. */
  sessionId?: string
  /** Goes on behind this `seq` (one session) or position (all). Without it: only what is new. */
  after?: number
}

/** Replays what was stored, then follows. Ends when the reader leaves or the runtime is closed. Rejects when the store cannot be read. */
export async function* follow(
  journal: Journal,
  options: FollowOptions,
): AsyncGenerator<SessionEvent | Delta> {
  const events = new AsyncQueue<SessionEvent | Delta>()
  let failure: { error: unknown } | null = null
  const subscription = journal.subscribe({
    ...options,
    deliver: (items) => {
      for (const { event } of items) events.push(event)
    },
    onEnd: () => events.end(),
    onError: (error) => {
      failure = { error }
      events.end()
    },
  })
  try {
    yield* events
    if (failure) throw (failure as { error: unknown }).error
  } finally {
    subscription.close()
  }
}
