/** The lines of a diff, with the words that differ within a changed line. Pure. */

import { diffWordsWithSpace, structuredPatch } from 'diff'
import type { Mark } from '../code/colored-line.js'
import type { Hunk } from './call.js'

export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'gap'
  text: string
  /** Line numbers before and after the change. */
  old: number | null
  fresh: number | null
  /** The line that replaces it, or that it replaces. */
  pair?: string
}

export const SIGNS = { same: '', added: '+', removed: '−', gap: '⋯' } as const

const CONTEXT_LINES = 3
const MAX_EDIT_LENGTH = 5_000

export function diffLines(before: string, after: string): DiffLine[] {
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDIT_LENGTH }
  const hunks = structuredPatch('', '', before, after, '', '', options)?.hunks ?? []
  return hunks.length === 0 && before !== after ? replaceLines(before, after) : linesOf(hunks)
}

export function linesOf(hunks: readonly Hunk[]): DiffLine[] {
  return hunks.flatMap((hunk, index): DiffLine[] => {
    let old = hunk.oldStart
    let fresh = hunk.newStart
    const lines = hunk.lines
      .filter((text) => !text.startsWith('\\'))
      .map((text): DiffLine => {
        const rest = text.slice(1)
        if (text.startsWith('+')) return { kind: 'added', text: rest, old: null, fresh: fresh++ }
        if (text.startsWith('-')) return { kind: 'removed', text: rest, old: old++, fresh: null }
        return { kind: 'same', text: rest, old: old++, fresh: fresh++ }
      })
    const gap: DiffLine = { kind: 'gap', text: '', old: null, fresh: null }
    return index > 0 ? [gap, ...pairLines(lines)] : pairLines(lines)
  })
}

/** Fallback when the diff exceeds its edit limit: all lines removed, then all lines added. */
function replaceLines(before: string, after: string): DiffLine[] {
  const lines = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))
  return [
    ...lines(before).map((text, at): DiffLine => ({ kind: 'removed', text, old: at + 1, fresh: null })),
    ...lines(after).map((text, at): DiffLine => ({ kind: 'added', text, old: null, fresh: at + 1 })),
  ]
}

/** Above this many comparisons, lines are paired by their order. */
const MAX_COMPARISONS = 400

/** Pairs removed lines with the added lines after them, in order: each with the one that resembles it most. */
function pairLines(lines: readonly DiffLine[]): DiffLine[] {
  const result = [...lines]
  for (let start = 0; start < result.length; ) {
    const removed = runLength(result, start, 'removed')
    const added = runLength(result, start + removed, 'added')
    const isCompared = removed !== added && removed * added <= MAX_COMPARISONS
    for (let at = 0, next = 0; at < removed && next < added; at += 1) {
      const one = result[start + at]
      const candidates = result.slice(start + removed + next, start + removed + added)
      const step = isCompared && one ? mostAlike(one.text, candidates) : 0
      const other = candidates[step]
      if (!one || !other) continue
      result[start + at] = { ...one, pair: other.text }
      result[start + removed + next + step] = { ...other, pair: one.text }
      next += step + 1
    }
    start += Math.max(1, removed + added)
  }
  return result
}

function runLength(lines: readonly DiffLine[], start: number, kind: DiffLine['kind']): number {
  let length = 0
  while (lines[start + length]?.kind === kind) length += 1
  return length
}

/** The index of the line that shares the most words with a text; -1 if none shares half of them. */
function mostAlike(text: string, lines: readonly DiffLine[]): number {
  const words = wordsOf(text)
  let [best, found] = [0.5, -1]
  lines.forEach((line, index) => {
    const others = wordsOf(line.text)
    const shared = [...words].filter((word) => others.has(word)).length
    const share = shared / Math.max(1, words.size, others.size)
    if (share >= best && (found === -1 || share > best)) [best, found] = [share, index]
  })
  return found
}

function wordsOf(text: string): Set<string> {
  return new Set(text.slice(0, MAX_COMPARED).match(/[\p{L}\p{N}_]+/gu))
}

const MAX_COMPARED = 500
/** If more of the line differs, marks on words add nothing. */
const MAX_MARKED = 0.7

/** The parts of a line that its counterpart does not have. */
export function changedWords({ kind, text, pair }: DiffLine): Mark[] {
  if (pair === undefined || text.length > MAX_COMPARED || pair.length > MAX_COMPARED) return []
  const own = kind === 'added' ? 'added' : 'removed'
  const parts = kind === 'added' ? diffWordsWithSpace(pair, text) : diffWordsWithSpace(text, pair)
  let at = 0
  const marks: Mark[] = []
  for (const part of parts) {
    if (!part[own] && (part.added || part.removed)) continue
    const start = at
    at += part.value.length
    const last = marks.at(-1)
    if (!part[own]) continue
    if (last?.end === start) last.end = at
    else marks.push({ start, end: at })
  }
  const marked = marks.reduce((sum, { start, end }) => sum + end - start, 0)
  return marked > text.length * MAX_MARKED ? [] : marks
}
