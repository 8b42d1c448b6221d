/**
 * Loads the secrets of previous runs at startup, so that they are redacted again: those given to sessions, and those
 * found in their folders.
 */

import { abortable } from '../lib/abortable.js'
import type { Clock } from '../lib/clock.js'
import type { SecretSet } from '../lib/redact/secret-set.js'
import type { SessionOptions } from '../protocol/option/option.js'
import { secretsOf } from '../session/launch.js'
import type { Store } from '../store/port.js'

const REMEMBERED_SESSIONS = 1_000
/** Timeout for the search for secrets in the folders of previous sessions at startup. */
const LEARN_MS = 5_000
const SLOW_FOLDER =
  'A folder of an earlier session did not answer in 5 s. Secrets in the files of such folders are redacted once a session works there.'

/** Logs of previous runs still contain these values. */
export async function learnPast(store: Store, secrets: SecretSet, defaults: SessionOptions): Promise<void> {
  for (const { value, source } of await store.secrets()) secrets.learn([value], source)
  for (const options of [defaults, ...(await store.allOptions()).map((stored) => stored.options)])
    secrets.learn(secretsOf({ options, mcpServers: options.mcpServers ?? {} }))
}

/** Timeout: a folder on a file system that hangs must not block startup. */
export async function learnFolders(
  { store, secrets, clock }: { store: Store; secrets: SecretSet; clock: Clock },
  inFolder: (cwd: string) => Promise<readonly string[]>,
): Promise<void> {
  const late = new AbortController()
  const cancel = clock.after(LEARN_MS, () => late.abort(new Error(SLOW_FOLDER)))
  try {
    const sessions = await store.sessions({ limit: REMEMBERED_SESSIONS })
    for (const folder of new Set(sessions.map(({ cwd }) => cwd)))
      secrets.learn(await abortable(inFolder(folder), late.signal), 'file')
  } finally {
    cancel()
  }
}
