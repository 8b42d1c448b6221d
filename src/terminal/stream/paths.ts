/** Where the stream and Claude Code's folder are, as the environment says. */

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** The hook follows the same rule: `KW_CHAT_STREAM_PATH`, else a place in the person's home. */
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
