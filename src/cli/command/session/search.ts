/** `signalbox search`: words in everything. */

import { resolve } from 'node:path'
import { readDate } from '../../command-date.js'
import { type CommandOptions, clientFor, readNumber } from '../../command-options.js'
import { EXIT } from '../../exit-code.js'
import type { Terminal } from '../../output/terminal.js'
import { oneLine } from '../../output/text.js'
import { type TimeOptions, timeText } from '../../output/time.js'
import { findSessionId } from '../../short-id.js'

type SearchOptions = CommandOptions &
  TimeOptions & {
    session?: string
    folder?: string
    tool?: string
    user?: string
    since?: string
    until?: string
    limit?: string
  }

export async function search(
  words: readonly string[],
  options: SearchOptions,
  terminal: Terminal,
): Promise<number> {
  const client = clientFor(options)
  const { session, folder, tool, user, since, until, limit = '20' } = options
  const reply = await client.search({
    query: {
      q: words.join(' '),
      ...(session !== undefined && { sessionId: await findSessionId(client, session) }),
      ...(folder !== undefined && { folder: resolve(folder) }),
      ...(tool !== undefined && { tool }),
      ...(user !== undefined && { user }),
      ...(since !== undefined && { since: readDate('--since', since) }),
      ...(until !== undefined && { until: readDate('--until', until) }),
      limit: readNumber('--limit', limit, { min: 1, max: 1_000 }),
    },
  })
  if (options.json) terminal.json(reply)
  else if (reply.results.length === 0) terminal.note('No results.')
  for (const { sessionId, seq, at, name, cwd, snippet } of options.json ? [] : reply.results) {
    const where = `${timeText(at, options, 'minute')}  ${sessionId}`
    terminal.out(`${terminal.color.bold(oneLine(name ?? cwd))}\n`)
    terminal.out(`    ${terminal.color.dim(`${where}  #${seq}`)}\n    ${oneLine(snippet)}\n`)
  }
  return EXIT.done
}
