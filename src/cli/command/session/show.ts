/** `signalbox show`: one session and the end of its conversation, or the life of each of its tool calls. */

import type { Client } from '../../../client/client.js'
import type { SessionEvent } from '../../../protocol/event/event.js'
import type { Session } from '../../../protocol/session.js'
import { TOOL_LIFE_EVENTS, toolLives } from '../../../protocol/view/tool-life.js'
import { emptyTranscript, extendTranscript } from '../../../protocol/view/transcript.js'
import { allEvents } from '../../all-events.js'
import { type CommandOptions, clientFor, readNumber } from '../../command-options.js'
import { EXIT } from '../../exit-code.js'
import { requestTitle } from '../../list/request-text.js'
import { conditionText, titleOf } from '../../list/session-text.js'
import { type Fact, factTable } from '../../output/facts.js'
import type { Terminal } from '../../output/terminal.js'
import { costText, oneLine } from '../../output/text.js'
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
  const waiting = await Promise.all(
    session.pendingRequests.map(async (requestId) => {
      const { request } = await client.getRequest({ params: { id: requestId } })
      return `${requestTitle(request)} (${requestId})`
    }),
  )
  terminal.out(factTable(factsOf(session, waiting.join('\n'), options), terminal.columns))
  let transcript = emptyTranscript
  for await (const event of allEvents(client, session.id, Math.max(0, session.lastSeq - LOOK_BACK)))
    transcript = extendTranscript(transcript, [event])
  const texts = transcript.items.flatMap(
    (item) => itemText(item, { cwd: session.cwd, width: terminal.columns, hasIds: true }) ?? [],
  )
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
function factsOf(session: Session, waiting: string, options: TimeOptions): Fact[] {
  const { usage } = session
  const count = (tokens: number) => tokens.toLocaleString('en')
  const tokens = `${count(usage.inputTokens)} input, ${count(usage.outputTokens)} output, ${count(usage.cacheReadInputTokens)} cache read`
  const facts: [string, string | null][] = [
    ['session', session.id],
    ['title', titleOf(session)],
    ['state', conditionText(session)],
    ['reason', session.conditionDetail?.reason ? oneLine(session.conditionDetail.reason) : null],
    ['waiting for', waiting],
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
    ['cost', session.costUsd > 0 || session.scriptedCostUsd !== undefined ? costText(session) : null],
    ['background', Object.keys({ ...session.tasks, ...session.agents }).join(', ')],
    ['queued', session.queue.map((message) => oneLine(message.text)).join(' | ')],
  ]
  return facts.flatMap(([name, value]) => (value ? [[name, value] as const] : []))
}
