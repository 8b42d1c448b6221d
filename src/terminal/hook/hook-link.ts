/** The symlink by which Claude Code finds the hook: a stable path, wherever the hook is. */

import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'

/** Returns whether it changed anything. Refuses to replace a file that is not a symlink to our hook. */
export function placeLink(link: string, target: string): boolean {
  makeRunnable(target)
  const current = readLink(link)
  if (current === target) return false
  if (current !== null && !isOurTarget(current)) {
    throw new Error(`${link} is there already and leads to ${current}. Move it away, then install again.`)
  }
  mkdirSync(dirname(link), { recursive: true })
  const draft = `${link}.${process.pid}.tmp`
  rmSync(draft, { force: true })
  symlinkSync(target, draft)
  renameSync(draft, link)
  return true
}

/** True if our symlink was removed. */
export function removeLink(link: string): boolean {
  if (!lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() || !isOurTarget(readlinkSync(link)))
    return false
  rmSync(link, { force: true })
  return true
}

/** Target of the symlink; null if there is none. */
export function readLink(link: string): string | null {
  const stats = lstatSync(link, { throwIfNoEntry: false })
  if (!stats) return null
  if (!stats.isSymbolicLink())
    throw new Error(`${link} is there already and is not a link. Move it away first.`)
  return readlinkSync(link)
}

function isOurTarget(target: string): boolean {
  return /^lifecycle-logger(?:\.pl|\.mjs)?$/.test(basename(target))
}

function makeRunnable(path: string): void {
  try {
    accessSync(path, constants.X_OK)
  } catch {
    chmodSync(path, 0o755)
  }
}
