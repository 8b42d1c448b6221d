/** The text of what a tool has given back. */

import { asList, asRecord, asText } from '../read-json.js'

/** Tools return text, blocks of text, or other data. Null for data without such text. */
export function textOfResult(result: unknown): string | null {
  if (typeof result === 'string') return result
  const texts = asList(result).flatMap((block) => asText(asRecord(block)['text']) ?? [])
  if (texts.length > 0) return texts.join('\n')
  // A shell's output.
  return asText(asRecord(result)['stdout'])
}
