/** Creates a folder with everything above it. Throws where that is not possible. */

import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Not with the option `recursive` of Node (seen with 20.20): in a file system that creates nothing and answers
 * "no such file", as /proc does, it tries for ever.
 */
export function makeFolder(path: string, mode = 0o777): void {
  const missing: string[] = []
  for (let folder = path; !isFolder(folder); folder = dirname(folder)) missing.unshift(folder)
  for (const folder of missing) makeOne(folder, mode)
}

function isFolder(path: string): boolean {
  // If the path is not a folder, mkdir reports the problem.
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? dirname(path) === path
}

function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Race: another process may have made it meanwhile.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}
