/** Line diff with changed words highlighted. */

import { diffWordsWithSpace, structuredPatch } from 'diff'
import { type ReactNode, useMemo, useState } from 'react'
import { count, t } from '../i18n/i18n.js'
import { printable } from '../ui/printable.js'
import type { Hunk } from './call.js'

interface Line {
  kind: 'same' | 'added' | 'removed' | 'gap'
  text: string
  old: number | null
  fresh: number | null
  /** The line that replaces it, or that it replaces. */
  pair?: string
}

const MAX_LINES = 400
const CONTEXT_LINES = 3

interface DiffViewProps {
  before: string
  after: string
  /** Whether the texts are whole files, so that their lines have numbers. */
  isWhole: boolean
  hunks?: readonly Hunk[]
  /** The name of the file. */
  name: string
}

export function DiffView({ name, before, after, hunks, isWhole: hasNumbers }: DiffViewProps) {
  const lines = useMemo(() => (hunks ? linesOf(hunks) : diffLines(before, after)), [hunks, before, after])
  const counted = (kind: Line['kind']) => lines.filter((line) => line.kind === kind).length
  const [isWhole, setIsWhole] = useState(false)
  const shown = isWhole ? lines : lines.slice(0, MAX_LINES)
  return (
    <figure className="change">
      <figcaption>
        <code>{printable(name)}</code>
        <span className="change-count">
          <span className="added">+{counted('added')}</span>{' '}
          <span className="removed">−{counted('removed')}</span>
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable. */}
      <div className="diff" role="group" aria-label={t('diff')} tabIndex={0}>
        <table>
          <tbody>
            {shown.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
              <tr key={index} className={line.kind}>
                {hasNumbers && <td className="number">{line.old}</td>}
                {hasNumbers && <td className="number">{line.fresh}</td>}
                <td className="sign">
                  <span aria-hidden="true">{SIGNS[line.kind]}</span>
                  <span className="visually-hidden">
                    {line.kind === 'added'
                      ? t('diff.added')
                      : line.kind === 'removed'
                        ? t('diff.removed')
                        : ''}
                  </span>
                </td>
                <td className="line">{renderWords(line)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {shown.length < lines.length && (
          <button type="button" className="plain" onClick={() => setIsWhole(true)}>
            {count('more_lines', lines.length - shown.length)}
          </button>
        )}
      </div>
    </figure>
  )
}

const SIGNS = { same: '', added: '+', removed: '−', gap: '⋯' } as const

function diffLines(before: string, after: string): Line[] {
  const { hunks } = structuredPatch('', '', before, after, '', '', {
    context: CONTEXT_LINES,
    maxEditLength: 5_000,
  }) ?? {
    hunks: [],
  }
  if (hunks.length === 0 && before !== after) return replaceLines(before, after)
  return linesOf(hunks)
}

function linesOf(hunks: readonly Hunk[]): Line[] {
  return hunks.flatMap((hunk, index): Line[] => {
    let old = hunk.oldStart
    let fresh = hunk.newStart
    const lines = hunk.lines
      .filter((text) => !text.startsWith('\\'))
      .map((text): Line => {
        const rest = text.slice(1)
        if (text.startsWith('+')) return { kind: 'added', text: rest, old: null, fresh: fresh++ }
        if (text.startsWith('-')) return { kind: 'removed', text: rest, old: old++, fresh: null }
        return { kind: 'same', text: rest, old: old++, fresh: fresh++ }
      })
    const gap: Line = { kind: 'gap', text: '', old: null, fresh: null }
    return index > 0 ? [gap, ...pairLines(lines)] : pairLines(lines)
  })
}

/** Fallback when the diff exceeds its edit limit: all lines removed, then all lines added. */
function replaceLines(before: string, after: string): Line[] {
  const lines = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))
  return [
    ...lines(before).map((text, at): Line => ({ kind: 'removed', text, old: at + 1, fresh: null })),
    ...lines(after).map((text, at): Line => ({ kind: 'added', text, old: null, fresh: at + 1 })),
  ]
}

/** Pairs a run of removed lines with an equally long run of added lines, for the word diff. */
function pairLines(lines: Line[]): Line[] {
  const result = [...lines]
  for (let start = 0; start < result.length; ) {
    const removed = runLength(result, start, 'removed')
    const added = runLength(result, start + removed, 'added')
    if (removed > 0 && removed === added) {
      for (let at = 0; at < removed; at += 1) {
        const [one, other] = [result[start + at], result[start + removed + at]]
        if (!one || !other) continue
        result[start + at] = { ...one, pair: other.text }
        result[start + removed + at] = { ...other, pair: one.text }
      }
    }
    start += Math.max(1, removed + added)
  }
  return result
}

function runLength(lines: readonly Line[], start: number, kind: Line['kind']): number {
  let length = 0
  while (lines[start + length]?.kind === kind) length += 1
  return length
}

const MAX_COMPARED = 500

function renderWords({ kind, text, pair }: Line): ReactNode {
  if (pair === undefined || text.length > MAX_COMPARED || pair.length > MAX_COMPARED) return printable(text)
  const parts = kind === 'added' ? diffWordsWithSpace(pair, text) : diffWordsWithSpace(text, pair)
  const own = kind === 'added' ? 'added' : 'removed'
  const kept = parts.filter((part) => part[own] || (!part.added && !part.removed))
  // If most of the line differs, highlighting words adds nothing.
  const marked = kept.filter((part) => part[own]).reduce((sum, part) => sum + part.value.length, 0)
  if (marked > text.length * 0.7) return printable(text)
  return kept.map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
    part[own] ? <mark key={index}>{printable(part.value)}</mark> : printable(part.value),
  )
}
