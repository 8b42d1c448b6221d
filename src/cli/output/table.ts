/** Columns that stand below each other, in as many columns of the terminal as there are. */

import type { Style } from './style.js'
import { fit, fitEnd, widthOf, wrap } from './width.js'

export interface Column {
  title: string
  /** Numbers stand at the right. */
  align?: 'right'
  /** Cut where it is wider. */
  maxWidth?: number
  /** It may become as narrow as this where the terminal is narrow. Without it: it is not cut. */
  minWidth?: number
  /** Cut at its start, as a path is. */
  keepsEnd?: boolean
  /** Longer text goes on in further lines of the row instead of being cut. */
  wraps?: boolean
  /** Left out where the terminal is too narrow for all; the highest number first. */
  dropsAt?: number
  style?: Style
}

export interface TableOptions {
  /** Columns of the terminal; null: as wide as the text. */
  width?: number | null
  hasHead?: boolean
}

const GAP = 2
const SMALLEST = 4

/** Lines of text; the last column is not filled up. */
export function table(
  given: readonly Column[],
  rows: readonly (readonly string[])[],
  { width = null, hasHead = true }: TableOptions = {},
): string {
  const all = given.map((column, index) => ({ ...column, index }))
  const texts = [...(hasHead ? [given.map(({ title }) => title)] : []), ...rows]
  const columns = chooseColumns(width === null ? all : withoutEmpty(all, rows), texts, width)
  const lines = texts.flatMap((row, number) => {
    const cells = columns.map((column) => cellLines(row[column.index] ?? '', column))
    const height = Math.max(1, ...cells.map((cell) => cell.length))
    return Array.from({ length: height }, (_, line) =>
      columns
        .map((column, place) => {
          const isHead = hasHead && number === 0
          return padded(cells[place]?.[line] ?? '', column, isHead, place === columns.length - 1)
        })
        .join(' '.repeat(GAP))
        .trimEnd(),
    )
  })
  return lines.map((line) => `${line}\n`).join('')
}

type Placed = Column & { index: number; columns: number }

type Known = Column & { index: number }

/** On a terminal a column that may be left out, and says nothing, is left out. */
function withoutEmpty(all: readonly Known[], rows: readonly (readonly string[])[]): Known[] {
  return all.filter(({ dropsAt, index }) => dropsAt === undefined || rows.some((row) => row[index] !== ''))
}

/** Leaves columns out until the others can be narrowed to the width; at last cuts whatever is widest. */
function chooseColumns(
  all: readonly Known[],
  texts: readonly (readonly string[])[],
  width: number | null,
): Placed[] {
  let chosen: Placed[] = all.map((column) => {
    const widths = texts.map((row) => naturalWidth(row[column.index] ?? '', column))
    return { ...column, columns: widths.reduce((most, one) => Math.max(most, one), 0) }
  })
  if (width === null) return chosen
  while (narrowestOf(chosen) > width) {
    const [last] = chosen
      .filter(({ dropsAt }) => dropsAt !== undefined)
      .toSorted((one, other) => (other.dropsAt ?? 0) - (one.dropsAt ?? 0))
    if (!last) break
    chosen = chosen.filter((column) => column !== last)
  }
  narrow(chosen, width, leastOf)
  narrow(chosen, width, () => SMALLEST)
  return chosen
}

function leastOf({ minWidth, columns }: Placed): number {
  return Math.min(columns, minWidth ?? columns)
}

function narrowestOf(columns: readonly Placed[]): number {
  return columns.reduce((sum, column) => sum + leastOf(column), GAP * (columns.length - 1))
}

/** The widest first. */
function narrow(columns: readonly Placed[], width: number, least: (column: Placed) => number): void {
  let over = columns.reduce((sum, column) => sum + column.columns, GAP * (columns.length - 1)) - width
  for (; over > 0; over -= 1) {
    const [widest] = columns
      .filter((column) => column.columns > least(column))
      .toSorted((one, other) => other.columns - one.columns)
    if (!widest) return
    widest.columns -= 1
  }
}

function naturalWidth(text: string, { maxWidth, wraps }: Column): number {
  if (maxWidth === undefined) return widthOf(text)
  return wraps ? Math.min(maxWidth, widthOf(text)) : widthOf(fit(text, maxWidth))
}

function cellLines(text: string, { columns, wraps, keepsEnd }: Placed): string[] {
  if (!wraps) return [keepsEnd ? fitEnd(text, columns) : fit(text, columns)]
  // A word that is too long for its column is cut into pieces: other columns may follow it.
  return wrap(text, columns)
    .split('\n')
    .flatMap((line) => (widthOf(line) <= columns ? [line] : pieces(line, columns)))
}

function pieces(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const character of text) {
    if (widthOf(line + character) > width) {
      lines.push(line)
      line = ''
    }
    line += character
  }
  return [...lines, line]
}

function padded(cell: string, { align, columns, style }: Placed, isHead: boolean, isLast: boolean): string {
  const space = ' '.repeat(Math.max(0, columns - widthOf(cell)))
  const shown = style && !isHead && cell !== '' ? style(cell) : cell
  if (align === 'right') return space + shown
  return isLast ? shown : shown + space
}
