/** Kills processes: whole groups, and orphans that have left their group, with a bounded wait. */

import { setTimeout as wait } from 'node:timers/promises'
import { killProcess } from '../../lib/kill-process.js'
import { startTokenOf } from '../../lib/start-token.js'
import type { KnownProcess } from '../attach/launch-folder.js'
import { findMarked } from './process-identity.js'

const GRACE_MS = 2_000
const POLL_MS = 25

/** Ends everything that carries the mark, and the recorded processes that are still the same. `spared`: marks that stay. */
export async function reap(
  mark: string,
  recorded: readonly KnownProcess[] = [],
  graceMs = GRACE_MS,
  spared: readonly string[] = [],
): Promise<number[]> {
  const find = () => [
    ...new Set([...findMarked(mark, spared), ...recorded.filter(isStillThere).map((process) => process.pid)]),
  ]
  const found = find()
  if (found.length === 0) return []
  for (const pid of found) killProcess(pid, 'SIGTERM')
  for (let waited = 0; waited < graceMs && find().length > 0; waited += POLL_MS) await wait(POLL_MS)
  for (const pid of find()) killProcess(pid, 'SIGKILL')
  for (let waited = 0; waited < GRACE_MS && find().length > 0; waited += POLL_MS) await wait(POLL_MS)
  return found
}

/** A process that is just being forked is found by the next look. */
const LOOKS = 3

/** Kills everything that carries the mark, without a wait: for a process that has no time left. */
export function killMarked(mark: string): void {
  for (let look = 0; look < LOOKS; look += 1) for (const pid of findMarked(mark)) killProcess(pid, 'SIGKILL')
}

function isStillThere({ pid, startToken }: KnownProcess): boolean {
  return startTokenOf(pid) === startToken
}
