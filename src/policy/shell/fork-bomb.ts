/** A fork bomb: a function that comes back to itself through a pipe or in the background. */

import type { Reader } from './reader.js'

export function findForkBomb({ calls }: Pick<Reader, 'calls'>): string | null {
  const parallel = calls.find(({ from, to, isParallel }) => isParallel && leadsTo(calls, to, from))
  return parallel?.from ?? null
}

function leadsTo(calls: Reader['calls'], from: string, to: string): boolean {
  const seen = new Set<string>()
  const waiting = [from]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name === to) return true
    if (seen.has(name)) continue
    seen.add(name)
    for (const call of calls) if (call.from === name) waiting.push(call.to)
  }
  return false
}
