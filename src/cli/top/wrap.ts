/** Text of others as lines of a width: control characters are visible, and wide characters count twice. */

import { printable } from '../../lib/text/printable.js'
import { widthOf } from '../output/width.js'

let segmenter: Intl.Segmenter | null = null

/** Characters as users see them. */
export function graphemesOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter()
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/** Every character is on one of the lines. */
export function wrapText(text: string, width: number): string[] {
  return printable(text.replaceAll('\t', '    '))
    .split('\n')
    .flatMap((line) => wrapLine(line, Math.max(2, width)))
}

function wrapLine(line: string, width: number): string[] {
  // Most texts are plain, and may be as long as a file.
  if (/^[ -~]*$/.test(line)) return plainLines(line, width)
  if (widthOf(line) <= width) return [line]
  const lines: string[] = []
  let current = ''
  let used = 0
  for (const segment of graphemesOf(line)) {
    const columns = widthOf(segment)
    if (used + columns > width) {
      lines.push(current)
      current = ''
      used = 0
    }
    current += segment
    used += columns
  }
  return [...lines, current]
}

function plainLines(line: string, width: number): string[] {
  const lines: string[] = []
  for (let at = 0; at < line.length; at += width) lines.push(line.slice(at, at + width))
  return lines.length > 0 ? lines : ['']
}
