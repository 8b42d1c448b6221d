/** Columns of a terminal that a text takes, whatever script it is in, and lines that fit into them. */

import { withoutStyles } from './style.js'

const WIDE =
  /^(?:[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|.*\ufe0f)/u
const UNSEEN = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u

let segmenter: Intl.Segmenter | null = null

/** Made when a text needs it: most tables are plain, and it takes long to load. */
export function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter()
  return segmenter.segment(text)
}

const isPlain = (text: string) => /^[\u0020-\u007e]*$/.test(text)

/** How many columns of a terminal a text takes. */
export function widthOf(styled: string): number {
  const text = withoutStyles(styled)
  // Most texts are plain.
  if (isPlain(text)) return text.length
  let width = 0
  for (const { segment } of graphemesOf(text)) width += columnsOf(segment)
  return width
}

function columnsOf(grapheme: string): number {
  if (UNSEEN.test(grapheme)) return 0
  return WIDE.test(grapheme) ? 2 : 1
}

/** The text, cut at its end where it is too wide. It must have no styles. */
export function fit(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  return `${startOf(text, width - 1)}…`
}

/** The text, cut at its start: the end of a path says most. */
export function fitEnd(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  const graphemes = [...graphemesOf(text)].map(({ segment }) => segment)
  let used = 0
  let result = ''
  for (const grapheme of graphemes.toReversed()) {
    used += columnsOf(grapheme)
    if (used > width - 1) break
    result = grapheme + result
  }
  return `…${result}`
}

function startOf(text: string, width: number): string {
  let result = ''
  let used = 0
  for (const { segment } of graphemesOf(text)) {
    used += columnsOf(segment)
    if (used > width) break
    result += segment
  }
  return result
}

/**
 * The text in lines of at most this width, broken between words. A longer word stays whole, for a path or a link must
 * be copied as one; text in scripts that are written without spaces is broken anywhere. Further lines are indented like
 * the first, behind its bullet.
 */
export function wrap(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => (widthOf(line) <= width ? line : wrapLine(line, width)))
    .join('\n')
}

/** A text behind another, such as a time, with its further lines below its first. Null: one line, as into a pipe. */
export function hang(before: string, text: string, width: number | null): string {
  const used = widthOf(before)
  if (width === null) return before + text
  if (used > width - MIN_TEXT) return wrap(before + text, width)
  return before + wrap(text, width - used).replaceAll('\n', `\n${' '.repeat(used)}`)
}

const MIN_TEXT = 16

function wrapLine(line: string, width: number): string {
  const lead = /^ *(?:[-•·✓✗!>?│] +|\d{1,3}[.)] +)?/u.exec(withoutStyles(line))?.[0] ?? ''
  const indent = ' '.repeat(widthOf(lead) > width - MIN_TEXT ? 0 : widthOf(lead))
  const lines: string[] = []
  let current = ''
  let used = 0
  const start = (word: string) => {
    lines.push(current.trimEnd())
    current = indent + word
    used = indent.length + widthOf(word)
  }
  for (const word of piecesOf(line, width)) {
    const columns = widthOf(word)
    const isFirst = current.trim() === ''
    if (isFirst || used + widthOf(word.trimEnd()) <= width) {
      current += word
      used += columns
    } else start(word)
  }
  return [...lines, current.trimEnd()].join('\n')
}

/** Words with the spaces behind them; a wide word that has no spaces inside is one piece for each character. */
function piecesOf(line: string, width: number): string[] {
  return line.split(/(?<= )(?=[^ ])/).flatMap((word) => {
    if (isPlain(word) || widthOf(word) <= width / 2) return [word]
    const hasWide = [...graphemesOf(withoutStyles(word))].some(({ segment }) => columnsOf(segment) === 2)
    // Marks of styles are no characters: a styled word stays whole.
    return hasWide && withoutStyles(word) === word
      ? [...graphemesOf(word)].map(({ segment }) => segment)
      : [word]
  })
}
