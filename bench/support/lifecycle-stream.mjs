/** Lifecycle streams of any length, as the hook writes them. */

import { closeSync, openSync, writeSync } from 'node:fs'

const LINES_AT_ONCE = 5_000

/** An id that sorts by time, as the hook makes it. */
function lineId(index, time = 1_790_000_000_000) {
  const ms = (time + index).toString(16).padStart(12, '0')
  const random = Math.floor(Math.random() * 2 ** 48)
    .toString(16)
    .padStart(12, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7abc-8def-${random}`
}

/** About 300 bytes. */
export function line(index, { sessions = 50, time = 1_790_000_000_000, fields = {} } = {}) {
  const session = (Math.floor(index / 20) % sessions).toString(16).padStart(12, '0')
  return `${JSON.stringify({
    id: lineId(index, time),
    eventType: 'session.lifecycle',
    phase: index % 20 === 19 ? 'ended' : 'started',
    occurredAtIso: new Date(time + index).toISOString(),
    sessionId: `0d0c3e5a-1111-4222-8333-${session}`,
    provider: 'claude',
    projectPath: '/home/dev/work/some-project',
    cwd: '/home/dev/work/some-project',
    ...fields,
    hookEvent: 'SessionStart',
    pid: 4711,
    entrypoint: 'cli',
  })}\n`
}

/** The repeated work of a session: twenty lines. */
const LIFE = [
  { eventType: 'session.lifecycle', phase: 'started', hookEvent: 'SessionStart', source: 'startup' },
  ...Array.from({ length: 4 }, () => [
    {
      eventType: 'turn.start',
      hookEvent: 'UserPromptSubmit',
      prompt: 'Find out why the test of the parser fails.',
    },
    { eventType: 'skill.lifecycle', phase: 'in_progress', hookEvent: 'PreToolUse', skillName: 'spec' },
    { eventType: 'skill.lifecycle', phase: 'completed', hookEvent: 'PostToolUse', skillName: 'spec' },
    {
      eventType: 'turn.end',
      hookEvent: 'Stop',
      outcome: 'completed',
      lastAssistantMessage: 'It reads one byte too far.',
    },
  ]).flat(),
  {
    eventType: 'session.lifecycle',
    phase: 'waiting_permission',
    hookEvent: 'PermissionRequest',
    toolName: 'Bash',
  },
  { eventType: 'turn.end', hookEvent: 'Stop', outcome: 'completed' },
  { eventType: 'session.lifecycle', phase: 'ended', hookEvent: 'SessionEnd', reason: 'other' },
]

/** Whole lives of sessions, with everything that the hook writes: about 520 bytes. */
export function lineOfLife(index, { sessions, time }) {
  const number = (Math.floor(index / LIFE.length) % sessions).toString(16).padStart(12, '0')
  const sessionId = `0d0c3e5a-1111-4222-8333-${number}`
  const { eventType, phase, hookEvent, ...own } = LIFE[index % LIFE.length]
  return `${JSON.stringify({
    id: lineId(index, time),
    eventType,
    ...(phase && { phase }),
    occurredAtIso: new Date(time + index).toISOString(),
    sessionId,
    provider: 'claude',
    projectPath: '/home/dev/work/some-project',
    cwd: '/home/dev/work/some-project',
    ...own,
    hookEvent,
    pid: 4711,
    pidSpace: 'pid:[4026531836]',
    entrypoint: 'cli',
    transcriptPath: `/home/dev/.claude/projects/-home-dev-work-some-project/${sessionId}.jsonl`,
    permissionMode: 'default',
  })}\n`
}

export function writeStream(path, count, options, lineAt = line) {
  const file = openSync(path, 'w')
  for (let done = 0; done < count; done += LINES_AT_ONCE) {
    const lines = Array.from({ length: Math.min(LINES_AT_ONCE, count - done) }, (_, n) =>
      lineAt(done + n, options),
    )
    writeSync(file, lines.join(''))
  }
  closeSync(file)
}

/** Calls `each` for every line of a file, with a buffer of this size: what any reader must do at least. */
export function readLines(file, size, bufferBytes, each, readSync, afterBatch = () => {}) {
  const buffer = Buffer.allocUnsafe(bufferBytes)
  for (let offset = 0; offset < size; ) {
    const got = readSync(file, buffer, 0, bufferBytes, offset)
    const end = buffer.subarray(0, got).lastIndexOf(10) + 1
    for (let start = 0; start < end; ) {
      const stop = buffer.indexOf(10, start)
      each(buffer.toString('utf8', start, stop))
      start = stop + 1
    }
    offset += end
    afterBatch()
  }
}
