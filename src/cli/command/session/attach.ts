/** `signalbox attach`: one session in this terminal, until the user detaches. */

import { HubError } from '../../../protocol/error.js'
import { emptyTranscript, extendTranscript } from '../../../protocol/view/transcript.js'
import { allEvents } from '../../all-events.js'
import { attachTo } from '../../attach/attach.js'
import { type CommandOptions, clientFor, readNumber } from '../../command-options.js'
import { EXIT } from '../../exit-code.js'
import { whereText } from '../../list/request-text.js'
import type { Terminal } from '../../output/terminal.js'
import { itemText } from '../../output/transcript-text.js'
import { hint } from '../../own-command.js'
import { findSessionId } from '../../short-id.js'

/** How far back the end of the conversation is looked for. */
const LOOK_BACK = 500

export async function attach(
  short: string,
  options: CommandOptions & { lines: string },
  terminal: Terminal,
): Promise<number> {
  const lines = readNumber('--lines', options.lines, { min: 0, max: 10_000 })
  if (!terminal.isInteractive || terminal.columns === null)
    throw new HubError(
      'request_invalid',
      `attach needs a terminal. Follow the session with "signalbox watch ${short}".`,
    )
  const client = clientFor(options)
  const { session } = await client.getSession({ params: { id: await findSessionId(client, short) } })
  const { color, note } = terminal
  note(color.bold(whereText(session)))
  note(color.dim('Enter sends, Ctrl-C interrupts the turn, Ctrl-D detaches.'))
  let transcript = emptyTranscript
  for await (const event of allEvents(client, session.id, Math.max(0, session.lastSeq - LOOK_BACK)))
    if (event.seq <= session.lastSeq) transcript = extendTranscript(transcript, [event])
  const texts = transcript.items.flatMap(
    (item) => itemText(item, { cwd: session.cwd, width: terminal.columns }) ?? [],
  )
  if (lines > 0 && texts.length > 0) terminal.out(`${texts.slice(-lines).join('\n')}\n`)
  const ending = await attachTo({ client, session, terminal })
  const again = hint(`Detached. The session continues: signalbox attach ${session.id}`)
  note(color.dim(ending === 'ended' ? 'The session has ended.' : again))
  return EXIT.done
}
