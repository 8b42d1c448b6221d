/** Reads a patch as git prints it, section by section. */

import type { DiffHunk } from '../../protocol/change/diff.js'
import type { BytePath } from '../byte-path.js'

export interface PatchSection {
  /** After the change, or before it where the file is gone. */
  path: BytePath
  hunks: DiffHunk[]
  isBinary: boolean
  /** Lines are missing, or end early. */
  isTruncated: boolean
}

const HEAD = 'diff --git '
const NAMED = /^(rename to |--- |\+\+\+ )(.*)$/s
const MAX_LINES = 5_000
const MAX_LINE = 2_000

/** In the order of the patch. A file that became a link, or the other way round, has two. No line within a hunk begins like a head. */
export function readPatch(patch: Buffer): PatchSection[] {
  const sections: PatchSection[] = []
  let section: PatchSection | null = null
  let hunk: DiffHunk | null = null
  let lines = 0
  for (const line of patch.toString('latin1').split('\n')) {
    if (line.startsWith(HEAD)) {
      section = { path: nameInHead(line.slice(HEAD.length)), hunks: [], isBinary: false, isTruncated: false }
      sections.push(section)
      hunk = null
      lines = 0
    } else if (section && line.startsWith('@@ ')) {
      hunk = hunkOf(line)
      section.hunks.push(hunk)
    } else if (section && hunk && /^[ +\-\\]/.test(line)) {
      lines += 1
      const text = Buffer.from(line, 'latin1').toString('utf8')
      if (lines <= MAX_LINES) hunk.lines.push(shortened(text))
      if (lines > MAX_LINES || text.length > MAX_LINE) section.isTruncated = true
    } else if (section && /^Binary files .* differ$/.test(line)) section.isBinary = true
    else if (section && !hunk) section.path = nameInLine(line) ?? section.path
  }
  return sections
}

/** Null for other lines, and for `/dev/null`. */
function nameInLine(line: string): BytePath | null {
  const [, kind, rest = ''] = NAMED.exec(line) ?? []
  if (kind === undefined) return null
  // Git puts a tab behind names with spaces.
  const name = unquoted(rest.replace(/\t$/, ''))
  if (kind === 'rename to ') return name
  return name === '/dev/null' ? null : name.slice(2)
}

/** `a/NAME b/NAME`: only where the file has no other line with its name, and so was not renamed. */
function nameInHead(text: string): BytePath {
  const quoted = /^"(?:[^"\\]|\\.)*"/.exec(text)?.[0]
  return quoted === undefined ? text.slice(2, (text.length - 1) / 2) : unquoted(quoted).slice(2)
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
}

function unquoted(name: string): BytePath {
  const inner = /^"(.*)"$/s.exec(name)?.[1]
  if (inner === undefined) return name
  return inner.replaceAll(/\\(?:([0-7]{3})|(.))/gs, (_, octal?: string, letter = '') =>
    octal === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(octal, 8)),
  )
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
