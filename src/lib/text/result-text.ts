/** The text of what a tool has given back. */

import { asList, asRecord, asText } from '../read-json.js'

/** Tools give text, blocks of it, or data of their own. Null for data that holds no text of this kind. */
export function textOfResult(result: unknown): string | null {
  if (typeof result === 'string') return result
  const texts = asList(result).flatMap((block) => asText(asRecord(block)['text']) ?? [])
  if (texts.length > 0) return texts.join('\n')
  // A shell's output.
  return asText(asRecord(result)['stdout'])
}
