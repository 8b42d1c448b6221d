/** Caches whether the hook works: finding out starts it, and a page that is open asks every few seconds. */

import { statSync } from 'node:fs'
import type { Clock } from '../../lib/clock.js'
import { worksHere } from './producer.js'

const KEPT_MS = 15_000

/** For one hook at a time. A file that was replaced or changed is tried again at once. */
export function rememberWorking(clock: Clock, tryHook = worksHere): (path: string) => boolean {
  let known: { works: boolean; file: string; at: number } | null = null
  return (path) => {
    const stats = statSync(path, { throwIfNoEntry: false })
    const file = `${path} ${stats?.ino} ${stats?.mtimeMs} ${stats?.mode}`
    if (known?.file !== file || clock.now() - known.at > KEPT_MS)
      known = { works: tryHook(path), file, at: clock.now() }
    return known.works
  }
}
