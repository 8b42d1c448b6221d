/** `signalbox channels`: the ways to reach users, how they are doing, and what was sent. */

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { HubError } from '../../protocol/error.js'
import { type Channel, ChannelSettings } from '../../protocol/notification/channel.js'
import { type CommandOptions, clientFor } from '../command-options.js'
import { EXIT } from '../exit-code.js'
import { table } from '../output/table.js'
import type { Terminal } from '../output/terminal.js'
import { oneLine } from '../output/text.js'
import { ageText, type TimeOptions, timeText } from '../output/time.js'

export async function listChannels(options: CommandOptions, terminal: Terminal): Promise<number> {
  const { channels } = await clientFor(options).listChannels()
  if (options.json) terminal.json({ channels })
  else if (channels.length === 0)
    terminal.note(
      'No channels. Pair your phone with "signalbox phone", or add one with "signalbox channels add".',
    )
  else terminal.out(channelTable(channels, terminal))
  return EXIT.done
}

function channelTable(channels: readonly Channel[], { columns, color }: Terminal): string {
  const now = Date.now()
  const rows = channels.map((channel) => [
    oneLine(channel.name),
    channel.kind,
    oneLine(channel.user),
    channel.may,
    stateText(channel),
    channel.lastDeliveredAt === null ? '-' : ageText(channel.lastDeliveredAt, now),
    oneLine(channel.target),
  ])
  const list = table(
    [
      { title: 'channel', minWidth: 8, style: color.bold },
      { title: 'kind' },
      { title: 'user', minWidth: 4 },
      { title: 'may' },
      { title: 'state' },
      { title: 'last' },
      { title: 'target', minWidth: 10, dropsAt: 1 },
    ],
    rows,
    { width: columns },
  )
  const problems = channels.flatMap(({ name, error }) =>
    error === null ? [] : [`${oneLine(name)}: ${oneLine(error)}\n`],
  )
  return problems.length === 0 ? list : `${list}\n${problems.map((line) => color.yellow(line)).join('')}`
}

function stateText({ isPaused, health, pending }: Channel): string {
  const state = isPaused ? 'paused' : health
  return pending === 0 ? state : `${state}, ${pending} waiting`
}

interface AddOptions extends CommandOptions {
  kind: string
  user?: string
  may?: string
  url?: string
  topic?: string
  chat?: string
  tokenFile?: string
  titlesOnly?: boolean
  command?: string[]
  settings?: string
}

export async function addChannel(name: string, options: AddOptions, terminal: Terminal): Promise<number> {
  const given = options.settings === undefined ? settingsOf(options) : readJson(options.settings)
  const parsed = ChannelSettings.safeParse(given)
  if (!parsed.success)
    throw new HubError('request_invalid', `Invalid settings of the channel. ${z.prettifyError(parsed.error)}`)
  const { channel } = await clientFor(options).createChannel({ body: { name, settings: parsed.data } })
  const isMade = options.tokenFile === undefined && options.settings === undefined
  const secret = parsed.data.kind === 'webhook' && isMade ? parsed.data.secret : undefined
  if (options.json) terminal.json({ channel, ...(secret !== undefined && { secret }) })
  else {
    if (secret !== undefined) {
      terminal.note('The secret that signs its messages. Copy it now, it is not shown again:')
      terminal.out(`${secret}\n`)
    }
    terminal.note(`Added ${name}. Try it with "signalbox channels test ${name}".`)
  }
  return EXIT.done
}

/** Secrets come from a file or from standard input: arguments are visible to other users of the machine. */
function settingsOf({
  kind,
  user,
  may,
  url,
  topic,
  chat,
  tokenFile,
  titlesOnly,
  command,
}: AddOptions): object {
  const secret =
    tokenFile === undefined ? undefined : readFileSync(tokenFile === '-' ? 0 : tokenFile, 'utf8').trim()
  const secretField = kind === 'webhook' ? 'secret' : 'token'
  const made = kind === 'webhook' ? `whsec_${randomBytes(32).toString('base64')}` : undefined
  const value = secret ?? made
  return {
    kind,
    ...(user !== undefined && { user }),
    ...(may !== undefined && { may }),
    ...(url !== undefined && { url }),
    ...(topic !== undefined && { topic }),
    ...(chat !== undefined && { chat: Number(chat) }),
    ...(value !== undefined && { [secretField]: value }),
    ...(titlesOnly && { isTitlesOnly: true }),
    ...(command && { command }),
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'))
  } catch (cause) {
    throw new HubError('request_invalid', `Cannot read settings in JSON from ${file}.`, {}, { cause })
  }
}

export async function testChannel(
  name: string,
  options: CommandOptions,
  terminal: Terminal,
): Promise<number> {
  const reply = await clientFor(options).testChannel({ params: { name }, body: {} })
  if (options.json) terminal.json(reply)
  else terminal.note(`Sent a test message through ${name}.`)
  return EXIT.done
}

export async function pauseChannel(
  name: string,
  isPaused: boolean,
  options: CommandOptions,
  terminal: Terminal,
): Promise<number> {
  const reply = await clientFor(options).changeChannel({ params: { name }, body: { isPaused } })
  if (options.json) terminal.json(reply)
  else terminal.note(`${isPaused ? 'Paused' : 'Resumed'} ${name}.`)
  return EXIT.done
}

export async function removeChannel(
  name: string,
  options: CommandOptions,
  terminal: Terminal,
): Promise<number> {
  const reply = await clientFor(options).removeChannel({ params: { name } })
  if (options.json) terminal.json(reply)
  else terminal.note(`Removed ${name}. Links and buttons that were sent through it do not work any more.`)
  return EXIT.done
}

interface LogOptions extends CommandOptions, TimeOptions {
  limit: string
}

export async function logChannels(options: LogOptions, terminal: Terminal): Promise<number> {
  const query = { limit: Number(options.limit) }
  const { notifications } = await clientFor(options).listNotifications({ query })
  if (options.json) terminal.json({ notifications })
  else if (notifications.length === 0) terminal.note('No notifications yet.')
  else
    terminal.out(
      table(
        [
          { title: 'time' },
          { title: 'channel', minWidth: 6 },
          { title: 'state' },
          { title: 'kind' },
          { title: 'session' },
          { title: 'problem', minWidth: 10, wraps: true },
        ],
        notifications.map(({ createdAt, channel, state, isReminder, subjects, error }) => [
          timeText(createdAt, options, 'minute'),
          oneLine(channel),
          state,
          `${subjects[0]?.kind ?? ''}${isReminder ? ' (reminder)' : ''}`,
          subjects.length > 1 ? `${subjects.length} sessions` : (subjects[0]?.sessionId ?? '').slice(-8),
          state === 'delivered' ? '' : oneLine(error ?? ''),
        ]),
        { width: terminal.columns },
      ),
    )
  return EXIT.done
}
