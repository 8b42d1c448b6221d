/** Reads a patch as git prints it, section by section. */

import type { DiffHunk } from '../../protocol/change/diff.js'

export interface PatchSection {
  hunks: DiffHunk[]
  isBinary: boolean
  isTruncated: boolean
}

const HEAD = 'diff --git '
const MAX_LINES = 5_000
const MAX_LINE = 2_000

/** One section for each file, in the order of the patch. No line within a hunk begins like the head of a section. */
export function readPatch(patch: Buffer): PatchSection[] {
  const sections: PatchSection[] = []
  let section: PatchSection | null = null
  let hunk: DiffHunk | null = null
  let lines = 0
  for (const line of patch.toString('utf8').split('\n')) {
    if (line.startsWith(HEAD)) {
      section = { hunks: [], isBinary: false, isTruncated: false }
      sections.push(section)
      hunk = null
      lines = 0
    } else if (section && line.startsWith('@@ ')) {
      hunk = hunkOf(line)
      section.hunks.push(hunk)
    } else if (section && hunk && /^[ +\-\\]/.test(line)) {
      lines += 1
      if (lines <= MAX_LINES) hunk.lines.push(shortened(line))
      else section.isTruncated = true
    } else if (section && /^Binary files .* differ$/.test(line)) section.isBinary = true
  }
  return sections
}

function shortened(line: string): string {
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line
}

function hunkOf(line: string): DiffHunk {
  const [, oldStart = '0', oldLines = '1', newStart = '0', newLines = '1'] =
    /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
  return {
    oldStart: Number(oldStart),
    oldLines: Number(oldLines),
    newStart: Number(newStart),
    newLines: Number(newLines),
    lines: [],
  }
}
