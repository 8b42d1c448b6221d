/** Learns the secrets of a session, so that viewers, logs and audits get them redacted. */

import type { SecretSet } from '../lib/redact/secret-set.js'
import type { McpServers, SessionOptions } from '../protocol/option/option.js'
import type { Session } from '../protocol/session.js'
import type { RunnerStore } from '../store/port/runner-store.js'
import { secretsOf } from './launch.js'

/** `mcpServers`: those that are in force, if they are not the ones in `options`. Rejects if the secrets cannot be stored. */
export type LearnSecrets = (
  session: Pick<Session, 'id' | 'cwd'>,
  options: SessionOptions,
  mcpServers?: McpServers,
) => Promise<void>

/** `inFolder`: the secrets in the files of a workspace, which is on the machine of the agents. */
export function createLearnSecrets({
  secrets,
  store,
  inFolder,
}: {
  secrets: SecretSet
  store: Pick<RunnerStore, 'addSecrets'>
  inFolder(cwd: string): Promise<readonly string[]>
}): LearnSecrets {
  return async ({ id, cwd }, options, mcpServers = options.mcpServers ?? {}) => {
    // Stored, so that they stay redacted when the options change, and after a restart.
    const fresh = secrets.learn(secretsOf({ options, mcpServers }))
    if (fresh.length > 0) await store.addSecrets(id, fresh, 'configured')
    secrets.learn(await inFolder(cwd), 'file')
  }
}
