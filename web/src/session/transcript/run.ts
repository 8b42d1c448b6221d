/** Folds runs of tool calls that need no attention: a reader wants to know that ten files were read, not ten cards. */

import { type ToolKind, toolKind } from '../../tool/call.js'
import { hasImages, type ToolItem } from '../../tool/card.js'
import type { Row } from './row.js'

export interface Run {
  id: string
  rows: readonly Row[]
}

export type Entry = Row | Run

/** A shorter run takes no more room than its summary. */
const MIN_CALLS = 3
/** While the agent works, its last calls stay open to be followed. */
const OPEN_AT_END = 2

/** Changes, plans, tasks, questions and subagents are always shown. */
const FOLDED_KINDS: ReadonlySet<ToolKind> = new Set(['shell', 'read', 'find', 'web', 'skill', 'mcp', 'other'])

export function isRun(entry: Entry): entry is Run {
  return 'rows' in entry
}

export function entryId(entry: Entry): string {
  return isRun(entry) ? entry.id : entry.item.id
}

export function foldRuns(rows: readonly Row[]): Entry[] {
  const entries: Entry[] = []
  for (let start = 0; start < rows.length; ) {
    const length = runLength(rows, start)
    const isAtEnd = start + length === rows.length
    const run = rows.slice(start, start + length - (isAtEnd ? Math.min(OPEN_AT_END, length) : 0))
    const [first] = run
    if (first && callsOf(run).length >= MIN_CALLS) {
      entries.push({ id: `run ${first.item.id}`, rows: run })
      start += run.length
      continue
    }
    const step = Math.max(1, length)
    entries.push(...rows.slice(start, start + step))
    start += step
  }
  return entries
}

export function callsOf(rows: readonly Row[]): ToolItem[] {
  return rows.flatMap(({ item }) => (item.kind === 'tool' ? [item] : []))
}

/** Thinking between two calls belongs to their run; before the first and after the last it does not. */
function runLength(rows: readonly Row[], start: number): number {
  let length = 0
  for (let at = start; at < rows.length; at += 1) {
    const row = rows[at]
    if (!row) break
    if (isFoldable(row)) length = at - start + 1
    else if (row.item.kind !== 'thinking' || row.item.isWriting || length === 0) break
  }
  return length
}

function isFoldable({ item, children }: Row): boolean {
  return (
    item.kind === 'tool' &&
    item.state === 'completed' &&
    item.agent === null &&
    children.length === 0 &&
    FOLDED_KINDS.has(toolKind(item.name)) &&
    !hasImages(item)
  )
}
