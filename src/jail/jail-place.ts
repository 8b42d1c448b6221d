/** Where a workspace may lie, and by which paths it is reached. */

import { realpathSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { type Reason, reason } from '../protocol/reason/reason.js'
import { isInSystem, OWN_FOLDERS, SYSTEM_FOLDERS } from './view/system-folder.js'

/** Why this folder cannot be the workspace of a jail; null if it can. */
export function misplacement(root: string): Reason | null {
  const holdsSystem = [...SYSTEM_FOLDERS, ...OWN_FOLDERS].some((folder) => isWithin(folder, root))
  const isOurs = OWN_FOLDERS.some((folder) => !SHARED.includes(folder) && isWithin(root, folder))
  if (holdsSystem || isOurs || isInSystem(root)) return reason('jail.workspace-place', { path: root })
  const { uid, mode } = statSync(root)
  const isReadable = uid === userInfo().uid || (mode & 0o005) === 0o005
  // Root without capabilities is a user like others.
  return isReadable ? null : reason('jail.workspace-owner')
}

/** The jail has its own, but a workspace of the host may lie in them. */
const SHARED = ['/tmp', '/run']

/** A link outside the workspace that leads into it, and to where. */
export interface Alias {
  path: string
  target: string
}

const MAX_ALIASES = 8

/** Those by which these words reach the workspace, as far as they can be made in the jail. */
export function aliasesIn(words: readonly string[], root: string): Alias[] {
  const found = words.flatMap((word) => aliasOf(word, root) ?? [])
  return [...new Map(found.map((alias) => [alias.path, alias])).values()].slice(0, MAX_ALIASES)
}

function aliasOf(word: string, root: string): Alias | null {
  if (!word.startsWith('/') || isWithin(word, root) || /\/(?:\.{0,2})(?:\/|$)/.test(word)) return null
  const names = word.split('/')
  for (let length = 2; length <= names.length; length++) {
    const path = names.slice(0, length).join('/')
    const target = realOf(path)
    if (target === null) return null
    if (!isWithin(target, root)) continue
    const isFree =
      !isInSystem(path) &&
      !OWN_FOLDERS.some((folder) => path === folder || (!SHARED.includes(folder) && isWithin(path, folder)))
    return isFree ? { path, target } : null
  }
  return null
}

export function realOf(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`)
}
