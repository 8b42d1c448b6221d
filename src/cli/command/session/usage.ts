/** `signalbox usage`: tokens and money. */

import { HubError } from '../../../protocol/error.js'
import { UsageBy, type UsageRow, type UsageShare, UsageSplit } from '../../../protocol/usage/usage.js'
import { readDate } from '../../command-date.js'
import { type CommandOptions, clientFor, readChoice } from '../../command-options.js'
import { EXIT } from '../../exit-code.js'
import { type Column, table } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'
import { money, oneLine, shortPath } from '../../output/text.js'
import { shortIds } from '../../short-id.js'

type UsageOptions = CommandOptions & {
  by?: string
  split?: string
  today?: boolean
  week?: boolean
  since?: string
  until?: string
}

export async function usage(options: UsageOptions, terminal: Terminal): Promise<number> {
  const by = readChoice('--by', options.by ?? (options.today ? 'hour' : 'day'), UsageBy.options)
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const split =
    options.split === undefined ? {} : { split: readChoice('--split', options.split, UsageSplit.options) }
  const reply = await clientFor(options).usage({ query: { by, ...split, ...spanOf(options), timeZone } })
  if (options.json) {
    terminal.json(reply)
    return EXIT.done
  }
  if (reply.usage.length === 0) {
    terminal.note('No usage yet.')
    return EXIT.done
  }
  const short = terminal.columns === null ? null : shortIds(reply.usage.map(({ key }) => key))
  const isEquivalent = reply.billing === 'subscription'
  const rows = [...reply.usage, reply.total].flatMap((row) => {
    const key = keyText(row.key, by, short)
    const cells = rowOf(row, by)
    const shares = (row.shares ?? []).map((share) => [
      `  ${share.key}`,
      ...(by === 'session' ? [''] : []),
      ...shareOf(share),
      money(share.costUsd),
      ...(by === 'session' ? [] : ['']),
      '',
    ])
    return [by === 'session' ? [key, oneLine(row.name ?? ''), ...cells] : [key, ...cells], ...shares]
  })
  terminal.out(table(columnsFor(by, isEquivalent), rows, { width: terminal.columns }))
  const { unpriced, sources } = reply.total
  if (unpriced.length > 0)
    terminal.note(`No price known for ${unpriced.join(', ')}: their tokens are counted, but not their cost.`)
  if (sources.includes('scripted')) terminal.note('The scripted model is free: its tokens cost nothing.')
  if (isEquivalent) terminal.note('Covered by your subscription; amounts are API list prices.')
  return EXIT.done
}

function columnsFor(by: UsageBy, isEquivalent: boolean): Column[] {
  return [
    {
      title: by === 'session' ? 'id' : by,
      maxWidth: 60,
      minWidth: by === 'session' ? 4 : 16,
      keepsEnd: by === 'project',
    },
    ...(by === 'session' ? [{ title: 'title', maxWidth: 40, minWidth: 12 }] : []),
    { title: 'input', align: 'right' },
    { title: 'output', align: 'right' },
    { title: 'cache read', align: 'right', dropsAt: 3 },
    { title: 'cache written', align: 'right', dropsAt: 4 },
    { title: isEquivalent ? 'API-equivalent' : 'cost', align: 'right' },
    ...(by === 'session' ? [] : [{ title: 'sessions', align: 'right', dropsAt: 2 } as const]),
    { title: 'source', dropsAt: 5 },
  ]
}

const SOURCES = { sdk: 'Agent SDK', transcript: 'transcripts', scripted: 'scripted model' } as const

/** `2026-11-18 09`, `~/work/app`. */
function keyText(key: string, by: UsageBy, short: ReadonlyMap<string, string> | null): string {
  if (by === 'session') return short?.get(key) ?? key
  return by === 'project' ? shortPath(key) : key.replace('T', ' ')
}

function rowOf(row: UsageRow, by: UsageBy): string[] {
  const isFree = row.sources.length > 0 && row.sources.every((source) => source === 'scripted')
  return [
    ...shareOf(row),
    isFree ? 'free' : row.unpriced.length > 0 ? `${money(row.costUsd)} + ?` : money(row.costUsd),
    ...(by === 'session' ? [] : [String(row.sessions)]),
    row.sources.map((source) => SOURCES[source]).join(', '),
  ]
}

function shareOf({
  inputTokens,
  outputTokens,
  cacheReadInputTokens,
  cacheCreationInputTokens,
}: UsageShare | UsageRow): string[] {
  return [inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens].map((tokens) =>
    tokens.toLocaleString('en'),
  )
}

/** Today, this week, or the days that were named. */
function spanOf({ today, week, since, until }: UsageOptions): { since?: string; until?: string } {
  const given = [today, week, since !== undefined].filter(Boolean).length
  if (given > 1) throw new HubError('request_invalid', 'Use one of --today, --week and --since.')
  const end = until === undefined ? {} : { until: readDate('--until', until) }
  if (today) return { since: startOfDay(0), ...end }
  // Weeks begin on Monday, as in ISO 8601.
  if (week) return { since: startOfDay((new Date().getDay() + 6) % 7), ...end }
  return { ...(since !== undefined && { since: readDate('--since', since) }), ...end }
}

/** In local time. */
function startOfDay(daysAgo: number): string {
  const now = new Date()
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).toISOString()
}
