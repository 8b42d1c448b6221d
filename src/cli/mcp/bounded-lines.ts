/** Lines of a stream, bounded: a line that is too long is reported and skipped, whatever its length. */

import type { Readable } from 'node:stream'

export type BoundedLine = { text: string } | { tooLong: true; beginning: string; end: string }

const KEPT_CHARACTERS = 300

export async function* boundedLines(input: Readable, maxCharacters: number): AsyncGenerator<BoundedLine> {
  let text = ''
  let skipped: { beginning: string; end: string } | null = null
  input.setEncoding('utf8')
  for await (const chunk of input as AsyncIterable<string>) {
    const parts = chunk.split('\n')
    for (const [index, part] of parts.entries()) {
      if (index > 0) {
        yield skipped ? { tooLong: true, ...skipped } : { text }
        text = ''
        skipped = null
      }
      if (skipped) skipped.end = (skipped.end + part).slice(-KEPT_CHARACTERS)
      else if (text.length + part.length <= maxCharacters) text += part
      else {
        skipped = {
          beginning: (text + part).slice(0, KEPT_CHARACTERS),
          end: (text + part).slice(-KEPT_CHARACTERS),
        }
        text = ''
      }
    }
  }
  if (skipped) yield { tooLong: true, ...skipped }
  else if (text !== '') yield { text }
}
