/** Detects fork bombs: functions that call themselves through a pipe or in the background. */

import type { ShellContext } from './shell-context.js'

/**
 * Spends no budget, so that a fork bomb is found in the part that was read before the budget was used up. Reading has
 * bounded the number of calls.
 */
export function findForkBomb({ calls }: Pick<ShellContext, 'calls'>): string | null {
  const targets = new Map<string, Set<string>>()
  const parallel = new Map<string, Set<string>>()
  for (const { from, to, isParallel } of calls) {
    addTo(targets, from, to)
    if (isParallel) addTo(parallel, from, to)
  }
  for (const [from, started] of parallel) if (leadsTo(targets, started, from)) return from
  return null
}

function addTo(names: Map<string, Set<string>>, from: string, to: string): void {
  const known = names.get(from)
  if (known === undefined) names.set(from, new Set([to]))
  else known.add(to)
}

function leadsTo(
  targets: ReadonlyMap<string, ReadonlySet<string>>,
  from: ReadonlySet<string>,
  to: string,
): boolean {
  const seen = new Set(from)
  for (const name of seen) {
    if (name === to) return true
    for (const next of targets.get(name) ?? []) seen.add(next)
  }
  return false
}
