/** Learns the secrets of a session, so that viewers, logs and audits get them redacted. */

import type { SecretSet } from '../lib/redact/secret-set.js'
import type { McpServers, SessionOptions } from '../protocol/option/option.js'
import type { Session } from '../protocol/session.js'
import type { Store } from '../store/port.js'
import { secretsOfFolder } from './gate/touched-secret.js'
import { secretsOf } from './launch.js'

/** `mcpServers`: those that are in force, if they are not the ones in `options`. Rejects if the secrets cannot be stored. */
export type LearnSecrets = (
  session: Pick<Session, 'id' | 'cwd'>,
  options: SessionOptions,
  mcpServers?: McpServers,
) => Promise<void>

export function createLearnSecrets({
  secrets,
  store,
}: {
  secrets: SecretSet
  store: Pick<Store, 'addSecrets'>
}): LearnSecrets {
  return async ({ id, cwd }, options, mcpServers = options.mcpServers ?? {}) => {
    // Stored, so that they stay redacted when the options change, and after a restart.
    const fresh = secrets.learn(secretsOf({ options, mcpServers }))
    if (fresh.length > 0) await store.addSecrets(id, fresh, 'configured')
    secrets.learn(await secretsOfFolder(cwd), 'file')
  }
}
