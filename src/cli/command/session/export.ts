/** `signalbox export`: a session on standard output. */

import { emptyTranscript, extendTranscript } from '../../../protocol/view/transcript.js'
import { allEvents } from '../../all-events.js'
import { type CommandOptions, clientFor, readChoice } from '../../command-options.js'
import { EXIT } from '../../exit-code.js'
import type { Terminal } from '../../output/terminal.js'
import { markdownOf } from '../../output/transcript-text.js'
import { findSessionId } from '../../short-id.js'

export async function exportSession(
  id: string,
  options: CommandOptions & { format: string },
  terminal: Terminal,
): Promise<number> {
  const format = readChoice('--format', options.format, ['md', 'json', 'jsonl'])
  const client = clientFor(options)
  const { session } = await client.getSession({ params: { id: await findSessionId(client, id) } })
  if (format === 'jsonl') {
    for await (const event of allEvents(client, session.id)) terminal.json(event)
    return EXIT.done
  }
  const events = []
  for await (const event of allEvents(client, session.id)) events.push(event)
  if (format === 'json') terminal.json({ session, events })
  else terminal.out(markdownOf(session, extendTranscript(emptyTranscript, events).items))
  return EXIT.done
}
