/** `signalbox show`: one session and the end of its conversation, or the life of each of its tool calls. */

import type { Client } from '../../../client/client.js'
import type { SessionEvent } from '../../../protocol/event/event.js'
import type { Session } from '../../../protocol/session.js'
import { TOOL_LIFE_EVENTS, toolLives } from '../../../protocol/view/tool-life.js'
import { emptyTranscript, extendTranscript } from '../../../protocol/view/transcript.js'
import { allEvents } from '../../all-events.js'
import { type CommandOptions, clientFor, readNumber } from '../../command-options.js'
import { EXIT } from '../../exit-code.js'
import { conditionText, titleOf } from '../../list/session-text.js'
import { table } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'
import { money, oneLine } from '../../output/text.js'
import { type TimeOptions, timeText } from '../../output/time.js'
import { toolTable } from '../../output/tool-table.js'
import { itemText } from '../../output/transcript-text.js'
import { findSessionId } from '../../short-id.js'

/** How far back the end of a conversation is looked for. */
const LOOK_BACK = 2_000

export async function show(
  id: string,
  options: CommandOptions & TimeOptions & { lines: string; tools?: boolean },
  terminal: Terminal,
): Promise<number> {
  const client = clientFor(options)
  const { session } = await client.getSession({ params: { id: await findSessionId(client, id) } })
  if (options.tools) return showTools(client, session, options, terminal)
  if (options.json) {
    terminal.json({ session })
    return EXIT.done
  }
  const lines = readNumber('--lines', options.lines, { min: 0, max: 10_000 })
  const columns = [
    { title: '', style: terminal.color.dim },
    { title: '', minWidth: 20, wraps: true },
  ]
  terminal.out(table(columns, factsOf(session, options), { width: terminal.columns, hasHead: false }))
  let transcript = emptyTranscript
  for await (const event of allEvents(client, session.id, Math.max(0, session.lastSeq - LOOK_BACK)))
    transcript = extendTranscript(transcript, [event])
  const texts = transcript.items.flatMap((item) => itemText(item, session.cwd, terminal.columns) ?? [])
  if (lines > 0 && texts.length > 0) terminal.out(`\n${texts.slice(-lines).join('\n')}\n`)
  return EXIT.done
}

async function showTools(
  client: Client,
  session: Session,
  { json, utc = false }: CommandOptions & TimeOptions,
  terminal: Terminal,
): Promise<number> {
  const events: SessionEvent[] = []
  for await (const event of allEvents(client, session.id, 0, TOOL_LIFE_EVENTS)) events.push(event)
  const tools = toolLives(events)
  if (json) terminal.json({ tools })
  else if (tools.length === 0) terminal.note('No tool calls.')
  else terminal.out(toolTable(tools, session.cwd, { utc, width: terminal.columns }))
  return EXIT.done
}

/** Whether commands that only read run in the read-only jail. */
function jailOf({ jail }: Session): string | null {
  if (!jail) return null
  const unproven = jail.unproven === 'jail' ? 'run in it' : 'need approval'
  return jail.isOn
    ? `on (${jail.setting}); commands not proven to be read-only ${unproven}`
    : `off (${jail.setting}): ${oneLine(jail.reason ?? '')}`
}

/** Facts about a session, most wanted first. */
function factsOf(session: Session, options: TimeOptions): string[][] {
  const { usage } = session
  const tokens = `${usage.inputTokens} in, ${usage.outputTokens} out, ${usage.cacheReadInputTokens} from the cache`
  const facts: [string, string | null][] = [
    ['session', session.id],
    ['title', titleOf(session)],
    ['state', conditionText(session)],
    ['reason', session.conditionDetail?.reason ? oneLine(session.conditionDetail.reason) : null],
    ['waiting for', session.pendingRequests.join(', ')],
    ['folder', oneLine(session.cwd)],
    ['branch', session.branch && oneLine(session.branch)],
    ['model', session.model],
    ['mode', session.permissionMode],
    ['jail', jailOf(session)],
    ['agent', session.agent],
    ['Claude Code id', session.claudeSessionId],
    ['external id', session.externalId && oneLine(session.externalId)],
    ['forked from', session.parentId],
    ['started', timeText(session.createdAt, options)],
    [
      'ended',
      session.endedAt &&
        `${timeText(session.endedAt, options)}, ${session.outcome}: ${oneLine(session.reason ?? '')}`,
    ],
    ['turns', String(session.turns)],
    ['result', session.completion && oneLine(session.completion.result)],
    ['tokens', tokens],
    ['cost', money(session.costUsd)],
    ['background', Object.keys({ ...session.tasks, ...session.agents }).join(', ')],
    ['queued', session.queue.map((message) => oneLine(message.text)).join(' | ')],
  ]
  return facts.flatMap(([name, value]) => (value ? [[name, value]] : []))
}
