/** A diff as a viewer sees it: without the content of protected files, and with known secrets redacted. */

import type { Diff, DiffFile, DiffHunk } from '../protocol/change/diff.js'
import type { Redact } from './visible-search.js'

const HIDDEN = '[redacted]'

export async function redactDiff(diff: Diff, redact: Redact): Promise<Diff> {
  const files: DiffFile[] = []
  for (const file of diff.files) files.push(await redactFile(file, redact))
  return { ...diff, files }
}

async function redactFile(file: DiffFile, redact: Redact): Promise<DiffFile> {
  if (file.isProtected) return { ...file, hunks: [] }
  const hunks: DiffHunk[] = []
  for (const hunk of file.hunks) hunks.push(await redactHunk(hunk, redact))
  return { ...file, hunks }
}

/** A secret of several lines is one only when they stand together: then the whole hunk is hidden. */
async function redactHunk(hunk: DiffHunk, redact: Redact): Promise<DiffHunk> {
  const lines: string[] = []
  for (const line of hunk.lines) lines.push(`${line.slice(0, 1)}${await redact(line.slice(1))}`)
  for (const other of ['+', '-']) {
    const side = lines.filter((line) => !line.startsWith(other)).map((line) => line.slice(1))
    const text = side.join('\n')
    if ((await redact(text)) !== text)
      return { ...hunk, lines: lines.map((line) => `${line.slice(0, 1)}${HIDDEN}`) }
  }
  return { ...hunk, lines }
}
