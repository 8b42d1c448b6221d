/** The newest step of a session in a few words, for lists: what it does, rather than that it works. */

import type { EventOf } from '../event/event.js'
import type { Session } from '../session.js'
import { describeCall } from './describe.js'
import { previewOf } from './preview.js'
import { plainText } from './session-name.js'

const SENTENCE_CHARACTERS = 160
/** The end of a long text is enough to find its last sentence. */
const READ_CHARACTERS = 2_000

/** Subagents do not count: their steps are part of one call of the main agent. */
export function latestAfter(
  { cwd }: Session,
  { type, data }: EventOf<'text.ended'> | EventOf<'tool.requested'>,
): Partial<Pick<Session, 'latest'>> {
  if (data.parentToolUseId !== undefined) return {}
  if (type === 'tool.requested') {
    const { name, input } = data
    return { latest: { kind: 'tool', name, title: describeCall(name, input, cwd) } }
  }
  const text = lastSentence(data.text)
  return text === '' ? {} : { latest: { kind: 'text', text } }
}

function lastSentence(text: string): string {
  const end = text.length > READ_CHARACTERS ? fromWordStart(text.slice(-READ_CHARACTERS)) : text
  const sentences = plainText(end).split(/(?<=[.!?。！？])\s+/)
  return previewOf(sentences.findLast((sentence) => sentence !== '') ?? '', SENTENCE_CHARACTERS)
}

/** Drops the rest of a word that was cut: redaction does not recognise a secret without its beginning. */
function fromWordStart(text: string): string {
  const space = text.search(/\s/)
  return space === -1 ? '' : text.slice(space)
}
