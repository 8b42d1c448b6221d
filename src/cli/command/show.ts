/** `signalbox show`: one session, or with `--tools` the life of each of its tool calls. */

import type { Client } from '../../client/client.js'
import { homePath } from '../../home.js'
import type { SessionEvent } from '../../protocol/event.js'
import type { Session } from '../../protocol/session.js'
import { TOOL_LIFE_EVENTS, toolLives } from '../../protocol/tool-life.js'
import { connect } from '../connect.js'
import { EXIT } from '../exit-code.js'
import { findSessionId } from '../short-id.js'
import type { Terminal } from '../terminal.js'
import { toolTable } from '../tool-table.js'

export interface ShowOptions {
  home?: string
  json?: boolean
  tools?: boolean
}

export async function show(id: string, options: ShowOptions, terminal: Terminal): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const { session } = await client.getSession({ params: { id: await findSessionId(client, id) } })
  if (options.tools) return showTools(client, session, options, terminal)
  if (options.json) terminal.json({ session })
  else for (const [name, value] of factsOf(session)) terminal.out(`${name.padEnd(10)}${value}\n`)
  return EXIT.done
}

async function showTools(
  client: Client,
  session: Session,
  { json }: ShowOptions,
  terminal: Terminal,
): Promise<number> {
  const tools = toolLives(await readEvents(client, session.id))
  if (json) terminal.json({ tools })
  else if (tools.length === 0) terminal.note('No tool was called.')
  else terminal.out(toolTable(tools, session.cwd))
  return EXIT.done
}

async function readEvents(client: Client, id: string): Promise<SessionEvent[]> {
  const found: SessionEvent[] = []
  for (let after: number | null = 0; after !== null; ) {
    const query = { after, limit: 1_000, type: TOOL_LIFE_EVENTS.join(',') }
    const page = await client.listEvents({ params: { id }, query })
    found.push(...page.events)
    after = page.nextCursor
  }
  return found
}

function factsOf(session: Session): [string, string][] {
  const { id, title, state, activity, cwd, model, permissionMode, agent, parentId, costUsd, turns } = session
  const facts: [string, string | null][] = [
    ['session', id],
    ['title', title],
    ['state', activity === null ? state : `${state} (${activity})`],
    ['folder', cwd],
    ['model', model],
    ['mode', permissionMode],
    ['agent', agent],
    ['parent', parentId],
    ['turns', `${turns}, ${costUsd.toFixed(4)} USD`],
    ['waits for', session.pendingRequests.join(', ') || null],
    ['prompt', session.lastPrompt],
    ['said', session.lastText],
    ['result', session.completion?.result ?? null],
    ['ended', session.endedAt === null ? null : `${session.outcome}: ${session.reason}`],
  ]
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as [string, string]]))
}
