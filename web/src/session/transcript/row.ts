/** Turns a transcript into rows. Items of a subagent are nested in the call that started it. */

import type { Transcript, TranscriptItem } from '../../../../src/protocol/index.js'

export interface Row {
  item: TranscriptItem
  children: readonly Row[]
}

const NO_ROWS: readonly Row[] = []

export function buildRows({ items, places }: Transcript): Row[] {
  const children = new Map<string, TranscriptItem[]>()
  const top: TranscriptItem[] = []
  for (const item of items) {
    if (isHidden(item)) continue
    const parent = 'parentToolUseId' in item ? item.parentToolUseId : undefined
    // The parent may be in events that are not loaded yet: then the child is shown at the top level.
    if (parent === undefined || !places.has(parent) || parent === item.id) top.push(item)
    else children.set(parent, [...(children.get(parent) ?? []), item])
  }
  const row = (item: TranscriptItem, depth: number): Row => ({
    item,
    children: depth > 8 ? NO_ROWS : (children.get(item.id)?.map((child) => row(child, depth + 1)) ?? NO_ROWS),
  })
  return top.map((item) => row(item, 0))
}

/** Informational notices and empty thinking blocks are not shown. */
function isHidden(item: TranscriptItem): boolean {
  if (item.kind === 'notice') return item.level === 'info'
  return item.kind === 'thinking' && !item.isWriting && item.text.trim() === ''
}
