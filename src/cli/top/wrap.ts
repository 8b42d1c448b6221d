/** Text of others as lines of a width: control characters are visible, and wide characters count twice. */

import { printable } from '../../lib/text/printable.js'
import { widthOf } from '../table.js'

let segmenter: Intl.Segmenter | null = null

/** Every character is on one of the lines. */
export function wrapText(text: string, width: number): string[] {
  return printable(text.replaceAll('\t', '    '))
    .split('\n')
    .flatMap((line) => wrapLine(line, Math.max(2, width)))
}

function wrapLine(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line]
  segmenter ??= new Intl.Segmenter()
  const lines: string[] = []
  let current = ''
  let used = 0
  for (const { segment } of segmenter.segment(line)) {
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
