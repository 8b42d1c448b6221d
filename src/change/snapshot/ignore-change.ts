/** Whether a change of ignore rules can reveal files that were there before, and were not recorded. */

import { join } from 'node:path'
import { readSmallText } from '../../lib/git/git-folder.js'
import { argumentOf, type BytePath } from '../byte-path.js'
import type { State } from './snapshot-store.js'
import type { Trees } from './trees.js'

const MAX_BYTES = 256 * 1024

/** Null: there is no such file. New rules can only hide files, unless one of them is an exception. */
export function isLoosened(before: string | null, after: string | null): boolean {
  const [old, now] = [rulesIn(before), rulesIn(after)]
  if ([...old, ...now].some((rule) => rule.startsWith('!'))) return old.join('\n') !== now.join('\n')
  return old.some((rule) => !now.includes(rule))
}

function rulesIn(text: string | null): string[] {
  return (text ?? '').split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'))
}

/** `changed`: files that differ from the recorded state. An ignore file that cannot be read counts as none. */
export async function loosensRules(
  changed: readonly BytePath[],
  before: State,
  { trees, workspace }: { trees: Trees; workspace: string },
): Promise<boolean> {
  const files = changed.filter((path) => path === '.gitignore' || path.endsWith('/.gitignore'))
  if (files.length === 0) return false
  const old = new Map<BytePath, string>()
  for (const { path, entry } of await trees.entries(before.tree, files))
    if (entry.kind !== 'link') old.set(path, (await trees.read(entry.id)).toString('utf8'))
  return files.some((path) => {
    const name = argumentOf(path)
    const now = name === null ? null : readSmallText(join(workspace, name), MAX_BYTES)
    return isLoosened(old.get(path) ?? null, now)
  })
}
