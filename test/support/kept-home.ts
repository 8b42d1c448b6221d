/**
 * A home of an older version, as that version has written it: one session that has ended, one in the middle of a turn with a
 * pending permission, one with a queued message, a trusted folder and the record of a process.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { temporaryFolder } from './temporary-folder.js'

export async function keptHome(schema: 19): Promise<string> {
  const home = join(await temporaryFolder(), 'home')
  mkdirSync(home, { mode: 0o700 })
  const file = fileURLToPath(new URL(`fixtures/home-schema-${schema}.db.gz`, import.meta.url))
  writeFileSync(join(home, 'signalbox.db'), gunzipSync(readFileSync(file)), { mode: 0o600 })
  return home
}
