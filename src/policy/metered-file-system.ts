/** The file system, with each question to it counted against the budget of the verdict. */

import { FILE_STEPS, spend } from './budget.js'
import type { FileSystem } from './file-system.js'

/** What it takes to hand over a name of a folder. */
const NAME_STEPS = 6

export function meteredFileSystem(fs: FileSystem): FileSystem {
  const asked = new Set<string>()
  /** Answers are remembered: only the first question reaches the disk. */
  const ask = <Answer>(kind: string, path: string, answer: (path: string) => Answer): Answer => {
    const key = `${kind}${path}`
    spend(1 + path.length / 32)
    if (!asked.has(key)) {
      asked.add(key)
      // The kernel walks the path name by name.
      spend(FILE_STEPS + path.length / 4)
    }
    return answer(path)
  }
  const askNames = <Names extends readonly unknown[] | null>(
    kind: string,
    path: string,
    answer: (path: string) => Names,
  ): Names => {
    const names = ask(kind, path, answer)
    spend((names?.length ?? 0) * NAME_STEPS)
    return names
  }
  return {
    readLink: (path) => ask('r', path, fs.readLink),
    list: (path) => askNames('l', path, fs.list),
    entries: (path) => askNames('e', path, fs.entries),
    identity: (path) => ask('i', path, fs.identity),
    gitlinks: (path) => askNames('g', path, fs.gitlinks),
  }
}
