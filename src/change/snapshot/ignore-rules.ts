/** The ignore rules that git would not find from the workspace: those of the settings, and of the repository around it. */

import { join, relative } from 'node:path'
import { findGitFolder, readSmallText } from '../../lib/git/git-folder.js'
import { fits } from '../../lib/glob/shell-pattern.js'

const MAX_BYTES = 256 * 1024
const MAX_LINES = 5_000

export interface IgnoreSettings {
  /** Patterns of the configuration. */
  exclude: readonly string[]
  /** Folders that are never looked into: our own home. */
  never: readonly string[]
}

/** The text of `info/exclude`. Later lines win, so the nearest file comes last; files in the workspace win over all. */
export function inheritedRules(workspace: string, { exclude, never }: IgnoreSettings): string {
  const found = findGitFolder(workspace)
  const lines: string[] = [...exclude]
  if (found) {
    const names = relative(found.top, workspace).split('/').filter(Boolean)
    lines.push(...rulesIn(join(found.common, 'info/exclude'), names))
    let folder = found.top
    for (const [depth, name] of names.entries()) {
      lines.push(...rulesIn(join(folder, '.gitignore'), names.slice(depth)))
      folder = join(folder, name)
    }
  }
  const hidden = never.flatMap((path) =>
    path.startsWith(`${workspace}/`) ? [literal(path.slice(workspace.length))] : [],
  )
  return `${[...lines.slice(0, MAX_LINES), ...hidden].join('\n')}\n`
}

function rulesIn(file: string, names: readonly string[]): string[] {
  const text = readSmallText(file, MAX_BYTES) ?? ''
  return text.split(/\r?\n/).flatMap((line) => ruleBelow(line, names))
}

/** A rule of a folder as it is written in a folder below it, to which these names lead. */
function ruleBelow(line: string, names: readonly string[]): string[] {
  if (/^\s*(?:#|$)/.test(line)) return []
  const not = line.startsWith('!') ? '!' : ''
  const named = line.slice(not.length).trimEnd()
  const slash = named.endsWith('/') ? '/' : ''
  const body = named.slice(0, named.length - slash.length)
  if (names.length === 0 || !body.includes('/')) return [line]
  return partsBelow(body.replace(/^\//, '').split('/'), names).map(
    (rest) => `${not}/${rest.join('/')}${slash}`,
  )
}

/** The parts of a pattern that are left behind these names. None where it names the workspace itself: there is work in it. */
function partsBelow(parts: readonly string[], names: readonly string[]): string[][] {
  // Each start of the rest is reached once, however many `**` lead there.
  let starts = new Set([0])
  for (const name of names) {
    const next = new Set<number>()
    for (const start of behindStars(starts, parts)) {
      if (parts[start] === '**') next.add(start)
      else if (fits(parts[start] ?? '', name)) next.add(start + 1)
    }
    starts = next
  }
  return [...starts].filter((start) => start < parts.length).map((start) => parts.slice(start))
}

/** With the places behind `**`, which can also stand for no folder at all. */
function behindStars(starts: ReadonlySet<number>, parts: readonly string[]): Set<number> {
  const all = new Set(starts)
  for (const start of all) if (parts[start] === '**') all.add(start + 1)
  return new Set([...all].filter((start) => start < parts.length))
}

/** A path as a pattern that fits nothing else. */
function literal(path: string): string {
  return `${path.replaceAll(/[\\*?[\]!# ]/g, '\\$&')}/`
}
