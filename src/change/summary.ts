/** The files of a change with their added and removed lines, as events and lists show them. */

import type { InertGit } from '../lib/git/inert-git.js'
import { isProtectedFile } from '../policy/file/protected.js'
import type { ChangedFile, ChangeTotals } from '../protocol/change/change.js'
import { absoluteText, type BytePath, shownPath } from './byte-path.js'
import type { FileDifference, StateDifference } from './snapshot/state-diff.js'

interface Lines {
  insertions: number | null
  deletions: number | null
  from: BytePath | null
}

/** Options under which a diff runs no program and follows no attribute. */
export const PLAIN_DIFF = ['--no-ext-diff', '--no-textconv', '--no-color', '-M', '-l400'] as const

export async function summarise(
  git: InertGit,
  trees: { before: string; after: string },
  { files, folders }: StateDifference,
  place: { workspace: string; objects?: string },
): Promise<{ files: ChangedFile[]; totals: ChangeTotals }> {
  const lines = await countLines(git, trees, place)
  const renamed = new Set([...lines.values()].flatMap(({ from }) => from ?? []))
  const listed = files
    .filter(({ path, after }) => after !== null || !renamed.has(path))
    .map((file) => changedFile(file, lines.get(file.path), place.workspace))
  const all = [...listed, ...folders.map(changedFolder)].toSorted((one, other) =>
    one.path < other.path ? -1 : 1,
  )
  return { files: all, totals: totalsOf(all) }
}

export function totalsOf(files: readonly ChangedFile[]): ChangeTotals {
  const sum = (key: 'insertions' | 'deletions') => files.reduce((total, file) => total + (file[key] ?? 0), 0)
  return { files: files.length, insertions: sum('insertions'), deletions: sum('deletions') }
}

async function countLines(
  git: InertGit,
  { before, after }: { before: string; after: string },
  place: { objects?: string },
): Promise<Map<BytePath, Lines>> {
  const lines = new Map<BytePath, Lines>()
  if (before === after) return lines
  const output = await git.run(['diff-tree', '-r', '-z', '--numstat', ...PLAIN_DIFF, before, after], place)
  const parts = output.toString('latin1').split('\0')
  for (let at = 0; at < parts.length - 1; at += 1) {
    const [, added = '', removed = '', path = ''] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(parts[at] ?? '') ?? []
    const counts = { insertions: numberOf(added), deletions: numberOf(removed) }
    if (path !== '') lines.set(path, { ...counts, from: null })
    else {
      // Of a renamed file both names follow.
      lines.set(parts[at + 2] ?? '', { ...counts, from: parts[at + 1] ?? '' })
      at += 2
    }
  }
  return lines
}

function numberOf(text: string): number | null {
  return /^\d+$/.test(text) ? Number(text) : null
}

function changedFile(
  { path, before, after }: FileDifference,
  lines: Lines | undefined,
  workspace: string,
): ChangedFile {
  const shown = shownPath(path)
  // A renamed file shows lines of the file that it was.
  const names = [path, ...(lines?.from ? [lines.from] : [])]
  const isProtected = names.some((name) => isProtectedFile(absoluteText(workspace, name)))
  return {
    path: shown,
    ...(lines?.from && { from: shownPath(lines.from) }),
    change: lines?.from ? 'renamed' : kindOfChange(before, after),
    kind: (after ?? before)?.kind === 'link' ? 'link' : 'file',
    insertions: lines ? lines.insertions : 0,
    deletions: lines ? lines.deletions : 0,
    ...(isProtected && { isProtected: true as const }),
  }
}

function kindOfChange(
  before: FileDifference['before'],
  after: FileDifference['after'],
): ChangedFile['change'] {
  if (before === null) return 'added'
  if (after === null) return 'deleted'
  const isLink = before.kind === 'link' || after.kind === 'link'
  return before.id === after.id && !(isLink && before.kind !== after.kind) ? 'permissions' : 'changed'
}

function changedFolder({ path, isNew }: StateDifference['folders'][number]): ChangedFile {
  return {
    path: shownPath(path),
    change: isNew ? 'added' : 'deleted',
    kind: 'folder',
    insertions: 0,
    deletions: 0,
  }
}
