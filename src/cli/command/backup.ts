/** `signalbox backup` and `signalbox restore`. */

import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import { writeBackup } from '../../backup/backup.js'
import { restoreBackup } from '../../backup/restore.js'
import { homeAt, homePath, makeHome } from '../../home.js'
import { machineFaultOf } from '../../lib/sqlite/machine-fault.js'
import { refuseOwnRunner } from '../../runtime/runner-place.js'
import { storageErrorOf } from '../../store/damage.js'
import { readVersion } from '../../version.js'
import type { CommandOptions } from '../command-options.js'
import { EXIT } from '../exit-code.js'
import type { Terminal } from '../output/terminal.js'

export async function backup(
  file: string,
  options: CommandOptions & { withSecrets?: boolean },
  terminal: Terminal,
): Promise<number> {
  const home = homeAt(homePath(options.home, process.env))
  const target = resolve(file)
  const summary = await writeBackup({
    home,
    target,
    hasSecrets: options.withSecrets ?? false,
    version: readVersion(),
    now: new Date().toISOString(),
  }).catch((error: unknown) => {
    // Only the copy needs space.
    throw storageErrorOf(error, machineFaultOf(error) === 'full' ? target : home.database)
  })
  if (options.json) terminal.json({ backup: summary })
  else {
    terminal.note(`Wrote ${summary.file}: ${summary.sessions} sessions, ${summary.events} events.`)
    terminal.note('It contains complete conversations: keep it as private as the home.')
  }
  return EXIT.done
}

export async function restore(
  file: string,
  options: CommandOptions & { keepTokens?: boolean },
  terminal: Terminal,
): Promise<number> {
  const home = homeAt(homePath(options.home, process.env))
  makeHome(home.path)
  await refuseOwnRunner(home.path)
  const summary = await restoreBackup({
    home,
    source: resolve(file),
    who: userInfo().username,
    now: new Date().toISOString(),
    isKeepingTokens: options.keepTokens ?? false,
  }).catch((error: unknown) => {
    throw storageErrorOf(error, home.database)
  })
  if (options.json) terminal.json({ restored: summary })
  else {
    terminal.note(`Restored the backup of ${summary.createdAt}.`)
    const dropped = summary.rights?.droppedCredentials ?? []
    if (dropped.length > 0)
      terminal.note(`Not restored, because they are no longer valid: ${dropped.join(', ')}.`)
    const distrusted = summary.rights?.distrusted ?? []
    if (distrusted.length > 0) terminal.note(`Trust not restored: ${distrusted.join(', ')}.`)
    if (summary.replaced !== null) terminal.note(`The previous data is in ${summary.replaced}.`)
  }
  return EXIT.done
}
