/** Commands that look at sessions and steer them. */

import { homePath } from '../../home.js'
import { HubError } from '../../protocol/error.js'
import type { Session } from '../../protocol/session.js'
import { WhenBusy } from '../../protocol/value.js'
import { connect } from '../connect.js'
import { EXIT } from '../exit-code.js'
import { findSessionId } from '../short-id.js'
import type { Terminal } from '../terminal.js'

interface CommonOptions {
  home?: string
  json?: boolean
}

export async function sessions(
  options: CommonOptions & { all?: boolean },
  terminal: Terminal,
): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const { sessions: found } = await client.listSessions({ query: { limit: 1_000 } })
  const shown = options.all ? found : found.filter((session) => session.state !== 'ended')
  if (options.json) terminal.json({ sessions: shown })
  else if (shown.length === 0) terminal.note('No sessions. Start one with: signalbox run "what to do"')
  else for (const session of shown) terminal.out(`${row(session)}\n`)
  return EXIT.done
}

function row({ id, state, title, lastPrompt, cwd }: Session): string {
  const name = (title ?? lastPrompt ?? '').replaceAll(/\s+/g, ' ').slice(0, 50)
  return [id, state.padEnd(10), name.padEnd(50), cwd].join('  ')
}

export async function send(
  id: string,
  words: readonly string[],
  options: CommonOptions & { whenBusy?: string },
  terminal: Terminal,
): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const whenBusy = readWhenBusy(options.whenBusy)
  const reply = await client.sendMessage({
    params: { id: await findSessionId(client, id) },
    body: { text: words.join(' '), ...(whenBusy && { whenBusy }) },
  })
  if (options.json) terminal.json(reply)
  return EXIT.done
}

function readWhenBusy(value: string | undefined): WhenBusy | undefined {
  if (value === undefined) return undefined
  const known = WhenBusy.safeParse(value)
  if (known.success) return known.data
  throw new HubError('request_invalid', `--when-busy is one of ${WhenBusy.options.join(', ')}.`)
}

type Control = 'interruptSession' | 'stopSession' | 'resumeSession'

export async function control(
  action: Control,
  id: string,
  options: CommonOptions,
  terminal: Terminal,
): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const reply = await client[action]({ params: { id: await findSessionId(client, id) }, body: {} })
  if (options.json) terminal.json(reply)
  else terminal.note(`${reply.session.id} is ${reply.session.state}.`)
  return EXIT.done
}
