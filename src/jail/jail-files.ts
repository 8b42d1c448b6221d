/** The few files that every jail uses. They lie in the home of Signalbox, where no agent writes. */

import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { JailFiles } from './jail-arguments.js'
import { SYSTEM_FILES } from './view/system-folder.js'

export interface JailContent {
  uid: number
  username: string
  filter: Buffer
  /** By the names of their files. */
  scripts: Readonly<Record<string, string>>
}

export function prepareJailFiles(folder: string, { uid, username, filter, scripts }: JailContent): JailFiles {
  const etc = join(folder, 'etc')
  rmSync(etc, { recursive: true, force: true })
  for (const path of [etc, join(folder, 'run')]) mkdirSync(path, { recursive: true, mode: 0o700 })
  for (const file of SYSTEM_FILES) copySystemFile(file, join(etc, basename(file)))
  const name = /^[\w.-]+$/.test(username) ? username : 'user'
  write(
    join(etc, 'passwd'),
    `${name}:x:${uid}:${uid}::/:/bin/bash\nnobody:x:65534:65534::/:/bin/false\n`,
    0o444,
  )
  write(join(etc, 'group'), `${name}:x:${uid}:\nnogroup:x:65534:\n`, 0o444)
  write(join(etc, 'nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files\n', 0o444)
  for (const [script, text] of Object.entries(scripts)) write(join(folder, script), text, 0o400)
  const files = { etc, hidden: join(folder, 'hidden'), filter: join(folder, 'system-calls.bpf') }
  write(files.hidden, '', 0)
  write(files.filter, filter, 0o400)
  return files
}

/** As of the start of the daemon. Links stay links: what they lead to is in the jail, or is not. */
function copySystemFile(file: string, target: string): void {
  if (existsSync(file)) cpSync(file, target, { recursive: true, verbatimSymlinks: true })
}

/** Replaced as a whole: another start of the same home may read it. */
function write(path: string, content: string | Buffer, mode: number): void {
  const fresh = `${path}.${process.pid}`
  writeFileSync(fresh, content, { mode })
  renameSync(fresh, path)
}
