/** The answer to one question: a number chooses an option, anything else is the answer itself. */

import { HubError } from '../../protocol/error.js'
import type { Question } from '../../protocol/value.js'

/** Throws `answer_invalid` for a number that no option has: it would reach the agent as text. */
export function readChosen(
  { question, options = [], multiSelect }: Question,
  text: string,
): string | string[] {
  const labels = options.map(({ label }) => label)
  const isNumbers = labels.length > 0 && /^[\d\s,]+$/.test(text)
  if (labels.includes(text.trim()) || !isNumbers) return multiSelect ? splitWords(text) : text
  const chosen = splitWords(text).map((word) => labels[Number(word) - 1])
  const known = chosen.filter((label) => label !== undefined)
  if (known.length < chosen.length || known.length === 0 || (!multiSelect && known.length > 1)) {
    const which = multiSelect
      ? `numbers from 1 to ${labels.length}, comma-separated`
      : `1 to ${labels.length}`
    throw new HubError(
      'answer_invalid',
      `No option ${text.trim()}. Use ${which}, or your own text. The question: ${question}`,
    )
  }
  return multiSelect ? known : (known[0] ?? text)
}

function splitWords(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}
