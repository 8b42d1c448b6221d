/** The files that a call would change, as far as it names them: what is saved before it runs. */

import { withBudget } from './budget.js'
import type { PolicyCall } from './call.js'
import { factsOf } from './facts.js'
import { type Access, READS } from './file/file-access.js'
import { matchesOf } from './file/target.js'

const MAX_PATHS = 200

/** Absolute paths with all symlinks but the last resolved. Empty where the call cannot be read. */
export function changedPaths(call: PolicyCall): string[] {
  try {
    return withBudget(() => {
      const { judged, environment } = factsOf(call)
      const paths = judged.uses
        .filter(({ access }) => isChange(access))
        .flatMap(({ target }) =>
          target.pattern === null ? place(target) : matchesOf(environment, target.pattern),
        )
      return [...new Set(paths)].slice(0, MAX_PATHS)
    })
  } catch {
    return []
  }
}

/** A copy only reads the file that it names; its destination is a use of its own. */
function isChange(access: Access): boolean {
  return !READS.has(access) && access !== 'copy' && access !== 'send'
}

function place({
  itself,
  real,
  isKnown,
}: {
  itself: string | null
  real: string | null
  isKnown: boolean
}): string[] {
  const path = itself ?? real
  return path === null || !isKnown ? [] : [path]
}
