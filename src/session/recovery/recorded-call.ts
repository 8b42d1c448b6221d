/** Waits until the CLI has written its calls to the transcript. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openRegularFile } from '../../lib/file/regular-file.js'
import type { Session } from '../../protocol/session.js'
import { findConversation } from '../claude/conversation.js'

const RECORD_MS = 1_000
const LOOK_MS = 10
const TAIL_BYTES = 4 * 1024 * 1024

type WaitingSession = Pick<Session, 'agents' | 'pendingTools' | 'claudeSessionId' | 'conversation'>

/**
 * Race: the CLI (2.1.325) writes a call some 40 ms after it asks about it. Killed before that, it cannot make the call again,
 * and the user's answer would be lost. Bounded: a CLI that writes nothing must not hold up the end of the daemon.
 */
export async function whenRecorded(
  { agents, pendingTools, claudeSessionId, conversation }: WaitingSession,
  configFolder: string,
  withinMs = RECORD_MS,
): Promise<void> {
  // The call of a subagent is in a record of its own; the call that started it was written long ago.
  const toolUseIds = Object.keys(agents).length > 0 ? [] : Object.keys(pendingTools)
  // A CLI that keeps no record at all is not waited for.
  if (toolUseIds.length === 0 || !existsSync(join(configFolder, 'projects'))) return
  const conversationId = claudeSessionId ?? conversation.id
  for (const from = performance.now(); performance.now() - from < withinMs; await wait(LOOK_MS)) {
    const found = await findConversation(configFolder, conversationId)
    const end = found ? await tailOf(found.path) : Buffer.alloc(0)
    if (toolUseIds.every((id) => end.includes(JSON.stringify(id)))) return
  }
}

async function tailOf(path: string): Promise<Buffer> {
  const { file, size } = await openRegularFile(path)
  try {
    const length = Math.min(size, TAIL_BYTES)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
