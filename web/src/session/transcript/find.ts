/** Finds text in all rows of a conversation, also in those that are folded or not drawn. */

import { useEffect, useState } from 'react'
import type { TranscriptItem } from '../../../../src/protocol/index.js'
import { noticeLabel, reasonLabel } from '../../i18n/server-text.js'
import { errorText, fieldsOf, resultText, toolName } from '../../tool/call.js'
import type { Row } from './row.js'
import { type Entry, isRun } from './run.js'

export interface Hit {
  /** The place of the entry in the list. */
  place: number
  /** The row, and the calls that it is nested in. */
  path: ReadonlySet<string>
  id: string
}

/** Time for one slice: typing and scrolling stay smooth while a long conversation is searched. */
const SLICE_MS = 8
const MAX_TEXT = 400_000

/** The hits from the first row to the last, with a new list when the rows or the words change. */
export function useFind(entries: readonly Entry[], query: string): readonly Hit[] {
  const [hits, setHits] = useState<readonly Hit[]>([])
  useEffect(() => {
    const words = query.trim().toLowerCase()
    if (words === '') return setHits([])
    const found: Hit[] = []
    let place = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const search = () => {
      for (const end = performance.now() + SLICE_MS; place < entries.length; place += 1) {
        if (performance.now() > end) {
          timer = setTimeout(search)
          return
        }
        const entry = entries[place]
        if (entry) found.push(...hitsIn(entry, place, words))
      }
      setHits(found)
    }
    search()
    return () => clearTimeout(timer)
  }, [entries, query])
  return hits
}

/** `words` in lower case. */
export function hitsIn(entry: Entry, place: number, words: string): Hit[] {
  const rows = isRun(entry) ? entry.rows : [entry]
  return rows.flatMap((row) => hitsOf(row, place, words, []))
}

function hitsOf(row: Row, place: number, words: string, above: readonly string[]): Hit[] {
  const { item, children } = row
  const path = [...above, item.id]
  const own = searchedText(item).includes(words) ? [{ place, path: new Set(path), id: item.id }] : []
  return [...own, ...children.flatMap((child) => hitsOf(child, place, words, path))]
}

/** Items are replaced when they change, so the text of an item never does. */
const texts = new WeakMap<TranscriptItem, string>()

function searchedText(item: TranscriptItem): string {
  const known = texts.get(item)
  if (known !== undefined) return known
  const text = textOf(item).slice(0, MAX_TEXT).toLowerCase()
  texts.set(item, text)
  return text
}

function textOf(item: TranscriptItem): string {
  switch (item.kind) {
    case 'message':
    case 'text':
    case 'thinking':
      return item.text
    case 'notice':
      return noticeLabel(item)
    case 'tool': {
      const input = Object.values(fieldsOf(item.input)).map((value) =>
        typeof value === 'string' ? value : JSON.stringify(value),
      )
      return [toolName(item.name), ...input, resultText(item.result), errorText(item.error ?? '')].join('\n')
    }
    case 'turn':
      return item.errors.join('\n')
    case 'end':
      return reasonLabel(item)
    case 'overlap':
      return item.files.join('\n')
    case 'rewind':
    case 'undo':
    case 'compaction':
      return ''
  }
}
