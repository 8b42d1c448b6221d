/** The message of `signalbox channels test`. */

import type { Language } from '../protocol/notification/user.js'
import type { OutgoingMessage } from './channel/port.js'
import { say } from './text/text.js'

export function testMessage(
  id: string,
  language: Language,
  { at, url }: { at: string; url: string },
): OutgoingMessage {
  return {
    id,
    at,
    kind: 'finished',
    isReminder: false,
    severity: null,
    title: say(language, 'test_title'),
    body: say(language, 'test_body'),
    url,
    count: 1,
    session: null,
    requestId: null,
    language,
    actions: [],
    answerUrl: null,
    mayReply: false,
    openLabel: say(language, 'open'),
  }
}
