/** Paths of the stream and of Claude Code's folder, from the environment. */

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** Must match the hook: `KW_CHAT_STREAM_PATH`, otherwise a default path in the user's home. */
export function streamPathOf(env: Environment): string {
  const chosen = env['KW_CHAT_STREAM_PATH'] || '~/.kw-chat/streams/lifecycle.jsonl'
  return chosen.startsWith('~/') ? join(homeOf(env), chosen.slice(2)) : resolve(chosen)
}

export function claudeFolderOf(env: Environment): string {
  return resolve(env['CLAUDE_CONFIG_DIR'] || join(homeOf(env), '.claude'))
}

function homeOf(env: Environment): string {
  return env['HOME'] || homedir()
}
