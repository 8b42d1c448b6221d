/** Columns that stand below each other, whatever script their text is in. */

const WIDE =
  /^(?:[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|.*\ufe0f)/u
const UNSEEN = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u

let segmenter: Intl.Segmenter | null = null

/** Made when a text needs it: most tables are plain, and it takes long to load. */
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter()
  return segmenter.segment(text)
}

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  // Most texts are plain.
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemesOf(text)) width += columnsOf(segment)
  return width
}

function columnsOf(grapheme: string): number {
  if (UNSEEN.test(grapheme)) return 0
  return WIDE.test(grapheme) ? 2 : 1
}

/** The text, cut where it is too wide. */
export function fit(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let result = ''
  let used = 0
  for (const { segment } of graphemesOf(text)) {
    used += columnsOf(segment)
    if (used > width - 1) break
    result += segment
  }
  return `${result}…`
}

export interface Column {
  title: string
  /** Numbers stand at the right. */
  align?: 'right'
  /** Cut where it is wider. */
  maxWidth?: number
}

/** Lines of text; the last column is not filled up. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const cells = [columns.map(({ title }) => title), ...rows].map((row) =>
    columns.map(({ maxWidth }, index) => fit(row[index] ?? '', maxWidth ?? Number.POSITIVE_INFINITY)),
  )
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => widthOf(row[index] ?? ''))))
  const lines = cells.map((row) =>
    row
      .map((cell, index) => {
        const space = ' '.repeat((widths[index] ?? 0) - widthOf(cell))
        if (columns[index]?.align === 'right') return space + cell
        return index === columns.length - 1 ? cell : cell + space
      })
      .join('  ')
      .trimEnd(),
  )
  return `${lines.join('\n')}\n`
}
