/** `signalbox usage`: tokens and money. */

import { HubError } from '../../../protocol/error.js'
import { UsageBy, type UsageRow } from '../../../protocol/usage/usage.js'
import { type CommandOptions, clientFor, readChoice } from '../../command-options.js'
import { EXIT } from '../../exit-code.js'
import { table } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'
import { money, oneLine } from '../../output/text.js'
import { shortIds } from '../../short-id.js'

export async function usage(
  options: CommandOptions & { by: string; since?: string },
  terminal: Terminal,
): Promise<number> {
  const by = readChoice('--by', options.by, UsageBy.options)
  const since = options.since === undefined ? {} : { since: readSince(options.since) }
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const reply = await clientFor(options).usage({ query: { by, ...since, timeZone } })
  if (options.json) {
    terminal.json(reply)
    return EXIT.done
  }
  const short = terminal.columns === null ? null : shortIds(reply.usage.map(({ key }) => key))
  if (reply.usage.length === 0) {
    terminal.note('No usage yet.')
    return EXIT.done
  }
  const isEquivalent = reply.billing === 'subscription'
  terminal.out(
    table(
      [
        { title: by, maxWidth: 60, minWidth: by === 'session' ? 6 : 10 },
        ...(by === 'session' ? [{ title: 'title', maxWidth: 40, minWidth: 12 }] : []),
        { title: 'input', align: 'right' },
        { title: 'output', align: 'right' },
        { title: 'cache read', align: 'right', dropsAt: 3 },
        { title: 'cache written', align: 'right', dropsAt: 4 },
        { title: isEquivalent ? 'API-equivalent' : 'cost', align: 'right' },
        { title: 'sessions', align: 'right', dropsAt: 2 },
        { title: 'source', dropsAt: 5 },
      ],
      [...reply.usage, reply.total].map((row) => {
        const [key = '', ...cells] = rowOf(row)
        return by === 'session'
          ? [short?.get(key) ?? key, oneLine(row.name ?? ''), ...cells]
          : [key, ...cells]
      }),
      { width: terminal.columns },
    ),
  )
  const { unpriced } = reply.total
  if (unpriced.length > 0)
    terminal.note(`No price known for ${unpriced.join(', ')}: their tokens are counted, but not their cost.`)
  if (isEquivalent) terminal.note('Covered by your subscription; amounts are API list prices.')
  return EXIT.done
}

function rowOf(row: UsageRow): string[] {
  const count = (tokens: number) => tokens.toLocaleString('en')
  return [
    row.key,
    count(row.inputTokens),
    count(row.outputTokens),
    count(row.cacheReadInputTokens),
    count(row.cacheCreationInputTokens),
    row.unpriced.length > 0 ? `${money(row.costUsd)} + ?` : money(row.costUsd),
    String(row.sessions),
    row.sources.map((source) => (source === 'sdk' ? 'Agent SDK' : 'transcripts')).join(', '),
  ]
}

/** A day, or a number of days back. */
function readSince(text: string): string {
  const days = /^(\d{1,5})d$/.exec(text)?.[1]
  const time = days === undefined ? Date.parse(text) : Date.now() - Number(days) * 24 * 60 * 60_000
  if (Number.isNaN(time))
    throw new HubError('request_invalid', `Invalid --since "${text}". Use 2026-11-01 or 7d.`)
  return new Date(time).toISOString()
}
