/** `signalbox lifecycle`: what terminal sessions and skills are doing; the consumer alone; rotation. */

import { homePath, openHome } from '../../home.js'
import { nameFromPrompt } from '../../protocol/view/session-name.js'
import { storageErrorOf } from '../../store/damage.js'
import { LifecycleSessionMonitor } from '../../terminal/monitor/lifecycle-session-monitor.js'
import type { SessionSnapshot, SkillRun } from '../../terminal/monitor/monitor.js'
import { openFileStreamConsumer } from '../../terminal/stream/file-stream-consumer.js'
import { claudeFolderOf, streamPathOf } from '../../terminal/stream/paths.js'
import { rotateStream } from '../../terminal/stream/rotate.js'
import { EXIT, exitCodeOf } from '../exit-code.js'
import { table } from '../output/table.js'
import type { Terminal } from '../output/terminal.js'
import { oneLine, shortPath } from '../output/text.js'
import { hint } from '../own-command.js'

export async function lifecycle(
  options: { json?: boolean; all?: boolean },
  terminal: Terminal,
): Promise<number> {
  const { env } = process
  const monitor = new LifecycleSessionMonitor({ path: streamPathOf(env), claudeFolder: claudeFolderOf(env) })
  await monitor.refresh()
  const sessions = monitor.sessions()
  await monitor.close()
  const skills = sessions.flatMap(({ sessionId, skills: runs }) => runs.map((run) => ({ sessionId, ...run })))
  if (options.json) terminal.json({ sessions, skills })
  else if (sessions.length === 0)
    terminal.note(
      hint('No sessions in terminals. Check that the hooks are installed: signalbox hooks status'),
    )
  else terminal.out(sessionTable(sessions, terminal.columns))
  return EXIT.done
}

function sessionTable(sessions: readonly SessionSnapshot[], width: number | null): string {
  const columns = [
    { title: 'session' },
    { title: 'state', minWidth: 14 },
    { title: 'title', maxWidth: 50, minWidth: 12 },
    { title: 'folder', minWidth: 10, keepsEnd: true },
  ]
  return table(columns, sessions.flatMap(rowsOf), { width })
}

/** The session, and below it one line for each skill. */
function rowsOf(session: SessionSnapshot): string[][] {
  const { sessionId, title, lastUserMessage, cwd, skills } = session
  return [
    [
      sessionId.slice(0, 8),
      oneLine(doingText(session)),
      oneLine(title ?? nameFromPrompt(lastUserMessage ?? '') ?? ''),
      shortPath(oneLine(cwd ?? '')),
    ],
    ...skills.map((run) => ['', '', oneLine(describeSkill(run)), '']),
  ]
}

/** In the words that the list of sessions has. */
function doingText({ state, activityPhase, endReason, waitingFor }: SessionSnapshot): string {
  if (state === 'completed') return `Ended (${endReason})`
  if (activityPhase === 'busy') return 'Working'
  if (activityPhase === 'interactable') return 'Idle'
  return waitingFor?.toolName ? `Waiting for you: ${waitingFor.toolName}` : 'Waiting for you'
}

function describeSkill({
  triggerCommand,
  skillName,
  state,
  startedAt,
  completedAt,
  startedBy,
}: SkillRun): string {
  const ms = completedAt === null ? null : Date.parse(completedAt) - Date.parse(startedAt)
  const took = ms === null ? '' : `, ${(ms / 1_000).toFixed(1)} s`
  return `${triggerCommand ?? skillName}: ${state}${took}${startedBy ? `, started by the ${startedBy}` : ''}`
}

/** Stores events of the stream in the database until a signal stops it. */
export async function consume(
  options: { home?: string; database?: string; once?: boolean; json?: boolean },
  terminal: Terminal,
): Promise<number> {
  const path = streamPathOf(process.env)
  const databasePath = options.database ?? openHome(homePath(options.home, process.env)).database
  let failure: unknown = null
  const consumer = await openFileStreamConsumer({
    path,
    databasePath,
    // Alone in its process, it may take larger bites.
    batchBytes: 4 << 20,
    onEvents: (events) => {
      if (options.json) for (const { fields } of events) terminal.json(fields)
    },
    onError: (error) => {
      failure = error
      terminal.note(`Cannot store the stream, retrying. ${error instanceof Error ? error.message : ''}`)
    },
  }).catch((error: unknown) => {
    throw storageErrorOf(error, databasePath)
  })
  if (options.once) {
    await consumer.consume()
  } else {
    terminal.note(`Storing events of ${path} in ${databasePath}. Press Ctrl-C to stop.`)
    consumer.start()
    await new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve)
    })
  }
  const { events, bad } = consumer.total
  await consumer.close()
  terminal.note(`Stored ${events} events; ${bad} invalid lines.`)
  return options.once && failure ? exitCodeOf(storageErrorOf(failure, databasePath)) : EXIT.done
}

export async function rotate(options: { json?: boolean }, terminal: Terminal): Promise<number> {
  const path = streamPathOf(process.env)
  const rotated = rotateStream(path, Date.now())
  if (options.json) terminal.json({ rotated })
  else terminal.note(rotated ? `Rotated to ${rotated.to} (${rotated.bytes} bytes).` : 'Nothing to rotate.')
  return EXIT.done
}
