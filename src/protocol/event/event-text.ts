/** The words in an event that people may look for. */

import type { SessionEvent } from './event.js'

/** What an agent read or wrote can be long; its start says what it was. */
const MAX_CHARACTERS = 20_000
/** Of what people and agents say, far more than anybody writes: a log that was pasted is found by its start. */
const MAX_SAID_CHARACTERS = 100_000

/** The text of an event that people may look for; null for one without any. */
export function textIn(event: SessionEvent): string | null {
  return wholeTextIn(event)?.slice(0, MAX_SAID_CHARACTERS) ?? null
}

function wholeTextIn(event: SessionEvent): string | null {
  switch (event.type) {
    case 'session.created':
      return event.data.title
    case 'session.changed':
      return event.data.title ?? null
    case 'message.queued':
    case 'text.ended':
    case 'notice.raised':
      return event.data.text
    case 'tool.requested':
      return [event.data.name, ...wordsIn(event.data.input)].join('\n').slice(0, MAX_CHARACTERS)
    case 'tool.ended':
      return [event.data.error ?? '', ...wordsIn(event.data.result)]
        .join('\n')
        .slice(0, MAX_CHARACTERS)
        .trim()
    case 'question.requested':
      return event.data.questions.map(({ question }) => question).join('\n')
    case 'error.raised':
      return event.data.message
    default:
      return null
  }
}

/** All texts of a value, wherever they stand in it. */
function wordsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(wordsIn)
}
