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
    if (parent === undefined || !places.has(parent) || parent === item.id) addOnce(top, item)
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

/** Of ten retries only the last is shown, and of an error that also failed the turn only the failure. */
function addOnce(rows: TranscriptItem[], item: TranscriptItem): void {
  const last = rows.at(-1)
  const isRepeated =
    last?.kind === 'notice' &&
    ((item.kind === 'notice' && last.topic === 'retry' && item.topic === 'retry') ||
      (item.kind === 'turn' &&
        item.outcome === 'failed' &&
        item.errors.some((why) => isSame(why, last.text))))
  if (isRepeated) rows.pop()
  rows.push(item)
}

function isSame(one: string, other: string): boolean {
  const [short, long] = [one.trim(), other.trim()].toSorted((a, b) => a.length - b.length)
  return short !== undefined && short !== '' && long?.includes(short) === true
}
