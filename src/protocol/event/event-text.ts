/** The searchable text of events. */

import type { SessionEvent } from './event.js'

/** Limit for tool inputs and results, which can be long: the beginning is enough to find them. */
const MAX_CHARACTERS = 20_000
/** Limit for messages of users and agents. Only pasted text, such as a log, is longer; its beginning is indexed. */
const MAX_SAID_CHARACTERS = 100_000

/** The searchable text of an event; null if it has none. */
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

/** All strings in a value, at any depth. */
function wordsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(wordsIn)
}
