/** Lines of a diff side by side: what was removed on the left, what was added on the right. */

import type { DiffLine } from '../../tool/diff-line.js'

export interface Row {
  left: DiffLine | null
  right: DiffLine | null
}

export function splitRows(lines: readonly DiffLine[]): Row[] {
  const rows: Row[] = []
  let removed: DiffLine[] = []
  let added: DiffLine[] = []
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      rows.push({ left: removed[at] ?? null, right: added[at] ?? null })
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line.kind === 'removed') {
      if (added.length > 0) flush()
      removed.push(line)
    } else if (line.kind === 'added') added.push(line)
    else {
      flush()
      rows.push({ left: line, right: line })
    }
  }
  flush()
  return rows
}
