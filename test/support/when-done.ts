/** Cleans up after each test, and after the last test for resources that several share. */

import { afterAll, beforeAll, onTestFinished } from 'vitest'

type Cleanup = () => unknown

let shared: Cleanup[] | null = null

export function whenDone(cleanup: Cleanup): void {
  if (shared) shared.push(cleanup)
  else onTestFinished(async () => void (await cleanup()))
}

/** Set up once for the tests of a group: starting a daemon and a browser for each would take longer than the tests. */
export function share<Value>(setUp: () => Promise<Value>, timeoutMs?: number): () => Value {
  let made: { value: Value } | null = null
  const cleanups: Cleanup[] = []
  beforeAll(async () => {
    shared = cleanups
    try {
      made = { value: await setUp() }
    } finally {
      shared = null
    }
  }, timeoutMs)
  afterAll(async () => {
    const problems: unknown[] = []
    // One that fails must not leave the processes of the others behind.
    for (const cleanup of cleanups.toReversed()) {
      try {
        await cleanup()
      } catch (error) {
        problems.push(error)
      }
    }
    if (problems.length > 0) throw problems[0]
  })
  return () => {
    if (!made) throw new Error('It is not set up yet.')
    return made.value
  }
}
