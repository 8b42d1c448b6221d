/** `signalbox users`: who is notified, when, and what each may do through channels. */

import { z } from 'zod'
import { HubError } from '../../protocol/error.js'
import { type User, UserSettings } from '../../protocol/notification/user.js'
import { type CommandOptions, clientFor } from '../command-options.js'
import { EXIT } from '../exit-code.js'
import { table } from '../output/table.js'
import type { Terminal } from '../output/terminal.js'
import { oneLine } from '../output/text.js'

export async function listUsers(options: CommandOptions, terminal: Terminal): Promise<number> {
  const { users } = await clientFor(options).listUsers()
  if (options.json) terminal.json({ users })
  else
    terminal.out(
      table(
        [
          { title: 'user', minWidth: 8 },
          { title: 'may' },
          { title: 'quiet hours' },
          { title: 'language' },
          { title: 'set in' },
        ],
        users.map((user) => [
          oneLine(user.name),
          user.may,
          quietText(user),
          user.language ?? '-',
          user.source,
        ]),
        { width: terminal.columns },
      ),
    )
  return EXIT.done
}

function quietText({ quiet }: User): string {
  if (quiet === undefined) return '-'
  return quiet === null
    ? 'none'
    : `${quiet.from}-${quiet.to}${quiet.timeZone === undefined ? '' : ` ${quiet.timeZone}`}`
}

interface SetOptions extends CommandOptions {
  may?: string
  language?: string
  quiet?: string
  timeZone?: string
  minSeverity?: string
}

/** Settings that are not named stay. */
export async function setUser(name: string, options: SetOptions, terminal: Terminal): Promise<number> {
  const client = clientFor(options)
  const known = (await client.listUsers()).users.find((user) => user.name === name)
  const {
    name: _,
    source: __,
    createdAt: ___,
    ...before
  } = known ?? { name, source: 'admin', createdAt: null }
  const parsed = UserSettings.safeParse({ ...before, ...changesOf(options) })
  if (!parsed.success)
    throw new HubError('request_invalid', `Invalid settings of the user. ${z.prettifyError(parsed.error)}`)
  const reply = await client.setUser({ params: { name }, body: parsed.data })
  if (options.json) terminal.json(reply)
  else terminal.note(`${known ? 'Changed' : 'Added'} ${name}: may ${reply.user.may}.`)
  return EXIT.done
}

function changesOf({ may, language, quiet, timeZone, minSeverity }: SetOptions): object {
  return {
    ...(may !== undefined && { may }),
    ...(language !== undefined && { language }),
    ...(quiet !== undefined && { quiet: readQuiet(quiet, timeZone) }),
    ...(minSeverity !== undefined && { minSeverity: minSeverity === 'none' ? null : minSeverity }),
  }
}

/** `22:00-07:00`, or `none`. */
function readQuiet(text: string, timeZone: string | undefined): object | null {
  if (text === 'none') return null
  const [, from, to] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(text) ?? []
  if (from === undefined || to === undefined)
    throw new HubError(
      'request_invalid',
      `Invalid --quiet "${text}". Use two times such as 22:00-07:00, or none.`,
    )
  return { from, to, ...(timeZone !== undefined && { timeZone }) }
}

export async function removeUser(name: string, options: CommandOptions, terminal: Terminal): Promise<number> {
  const reply = await clientFor(options).removeUser({ params: { name } })
  if (options.json) terminal.json(reply)
  else terminal.note(`Removed ${name}, with its tokens, logins, devices and channels.`)
  return EXIT.done
}
