/** The programs that a service starts. Another user who could change one of them would run code as this user at the next login. */

import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findForeignFile } from '../../lib/file/file-owner.js'

export interface Refusal {
  path: string
  problem: string
  fix: string
}

/** The first reason why a service must not start these programs, or null. */
export function findUnsafeProgram(node: string, program: string): Refusal | null {
  for (const path of [node, program]) {
    if (!isFile(path))
      return { path, problem: 'It is not a file.', fix: 'Reinstall Node or Signalbox, then run this again.' }
  }
  if (/[/\\]_npx[/\\]/.test(program))
    return {
      path: program,
      problem: 'It is in the cache of npx, which npm may empty at any time.',
      fix: 'Install it with "npm install --global", then run "signalbox service install" again.',
    }
  for (const path of [node, program, ...beside(program)]) {
    const foreign = findForeignFile(path)
    if (foreign) return { path, problem: foreign.found, fix: `Fix: ${foreign.fix}` }
  }
  return null
}

/** The other files of the bundled program, which it loads. */
function beside(program: string): string[] {
  const folder = dirname(program)
  return readdirSync(folder)
    .filter((name) => name.endsWith('.cjs'))
    .map((name) => join(folder, name))
}

export interface SafePath {
  path: string
  left: string[]
}

/** PATH without entries that another user could fill: relative ones, and folders that others may write. */
export function safePath(path: string): SafePath {
  const entries = [...new Set(path.split(':'))]
  // oxlint-disable-next-line no-control-regex -- systemd ignores a value with them.
  const isPlain = (entry: string) => entry.startsWith('/') && !/[\u0000-\u001f\u007f]/.test(entry)
  const isSafe = (entry: string) => isPlain(entry) && findForeignFile(entry) === null
  const kept = entries.filter(isSafe)
  return { path: kept.join(':'), left: entries.filter((entry) => entry !== '' && !isSafe(entry)) }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
