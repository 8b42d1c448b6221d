/** Secrets that sessions of previous runs were given, or that lie in their folders: they are redacted from the start on. */

import { abortable } from '../lib/abortable.js'
import type { Clock } from '../lib/clock.js'
import type { SecretSet } from '../lib/redact/secret-set.js'
import type { SessionOptions } from '../protocol/option/option.js'
import { secretsOfFolder } from '../session/gate/touched-secret.js'
import { secretsOf } from '../session/launch.js'
import type { Store } from '../store/port.js'

const REMEMBERED_SESSIONS = 1_000
/** How long a start may look for secrets in the folders of earlier sessions. */
const LEARN_MS = 5_000
const SLOW_FOLDER =
  'A folder of an earlier session did not answer in 5 s. Secrets in the files of such folders are redacted once a session works there.'

/** Secrets of previous runs are in their logs, and as secret as before. */
export async function learnPast(store: Store, secrets: SecretSet, defaults: SessionOptions): Promise<void> {
  for (const { value, source } of await store.secrets()) secrets.learn([value], source)
  for (const options of [defaults, ...(await store.allOptions()).map((stored) => stored.options)])
    secrets.learn(secretsOf({ options, mcpServers: options.mcpServers ?? {} }))
}

/** Folders on a file system that does not answer must not keep the daemon from starting. */
export async function learnFolders(store: Store, secrets: SecretSet, clock: Clock): Promise<void> {
  const late = new AbortController()
  const cancel = clock.after(LEARN_MS, () => late.abort(new Error(SLOW_FOLDER)))
  try {
    const sessions = await store.sessions({ limit: REMEMBERED_SESSIONS })
    for (const folder of new Set(sessions.map(({ cwd }) => cwd)))
      secrets.learn(await abortable(secretsOfFolder(folder), late.signal), 'file')
  } finally {
    cancel()
  }
}
