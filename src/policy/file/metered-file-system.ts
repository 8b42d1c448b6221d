/** Charges every file-system query to the budget of the verdict. */

import { spend } from '../../lib/step-budget.js'
import { FILE_STEPS } from '../budget.js'
import type { FileSystem } from './file-system.js'

/** Cost of returning one name of a folder. */
const NAME_STEPS = 6

export function meteredFileSystem(fs: FileSystem): FileSystem {
  return {
    readLink: metered(fs.readLink),
    list: meteredNames(fs.list),
    entries: meteredNames(fs.entries),
    identity: metered(fs.identity),
    repository: metered(fs.repository),
    negations: meteredNames(fs.negations),
    gitSettings: metered(fs.gitSettings),
    unseen: fs.unseen,
  }
}

/**
 * A repeated query is cheap, because answers are cached: only the first one reaches the disk, where the kernel walks
 * the path name by name.
 */
function metered<Answer>(answer: (path: string) => Answer): (path: string) => Answer {
  const asked = new Set<string>()
  return (path) => {
    const known = asked.size
    asked.add(path)
    spend(asked.size === known ? 1 + path.length / 32 : 1 + FILE_STEPS + path.length / 3)
    return answer(path)
  }
}

function meteredNames<Names extends readonly unknown[] | null>(
  answer: (path: string) => Names,
): (path: string) => Names {
  const ask = metered(answer)
  return (path) => {
    const names = ask(path)
    if (names !== null) spend(names.length * NAME_STEPS)
    return names
  }
}
