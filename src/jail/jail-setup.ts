/** Everything that the jail needs before its first use: programs, files, scripts, groups, and the folders of the system. */

import { accessSync, constants, existsSync, rmSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { type Reason, reason, reasonText } from '../protocol/reason/reason.js'
import { createFifoPool, type FifoPool } from './fifo-pool.js'
import type { JailBase } from './jail-arguments.js'
import { prepareJailFiles } from './jail-files.js'
import { realOf } from './jail-place.js'
import { enterScript, type LaunchPlaces, launchScript } from './launch-script.js'
import { seccompProgram } from './seccomp.js'
import { isInSystem, presentFolders } from './view/system-folder.js'
import { surveySystem } from './view/system-survey.js'

export interface JailDeps {
  /** The home of Signalbox, which no command in the jail sees. */
  home: string
  /** The CLI's own program, which is `find`, `grep` and `rg` in its shell. */
  claudeProgram: string | null
  /** The variable by which processes of this home are found; null where they are not searched for. */
  mark: string | null
  platform: NodeJS.Platform
  arch: string
}

export interface JailSetup {
  base: JailBase
  /** The path of bubblewrap. */
  program: string
  /** The script that the CLI's shell sources, with the id of a run. */
  enter: string
  runs: string
  reports: string
  fifos: FifoPool
  isRoot: boolean
}

/** There can be no jail here. */
export class Unavailable extends Error {
  readonly reason: Reason

  constructor(why: Reason) {
    super(reasonText([why]))
    this.reason = why
  }
}

/** The only places: an agent must not be able to bring its own. */
const BUBBLEWRAP = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap']
const NEEDED = ['/bin/bash', '/usr/bin/env', '/usr/bin/mkfifo', '/usr/bin/cat', '/usr/bin/head']
/** Commands never run as root inside, even if the daemon does. */
const INSIDE_UID = 1000
/** Files of the kernel that only root may read, which root without capabilities still is. */
const ROOT_ONLY = [
  'kpagecgroup',
  'kpagecount',
  'kpageflags',
  'pagetypeinfo',
  'slabinfo',
  'timer_list',
  'vmallocinfo',
]

/** `home` is its real path. Throws `Unavailable` where there can be no jail. */
export async function setUpJail(home: string, deps: JailDeps): Promise<JailSetup> {
  const program = findProgram(deps)
  const missing = NEEDED.find((path) => !existsSync(path))
  if (missing !== undefined) throw new Unavailable(reason('jail.file-missing', { path: missing }))
  const { uid: outside, username } = userInfo()
  const isRoot = outside === 0
  const uid = isRoot ? INSIDE_UID : outside
  const filter = seccompProgram(deps.arch, isRoot)
  if (filter === null) throw new Unavailable(reason('jail.arch', { arch: deps.arch }))
  const folder = join(home, 'jail')
  const [runs, reports, pool] = ['run', 'reports', 'fifo'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const stale of [runs, reports, pool]) rmSync(stale, { recursive: true, force: true })
  const places: LaunchPlaces = {
    program,
    runs,
    reports,
    filter: join(folder, 'system-calls.bpf'),
    launcher: join(folder, 'launch'),
    mark: deps.mark,
  }
  const files = prepareJailFiles(folder, {
    uid,
    username,
    filter,
    scripts: { enter: enterScript(places), launch: launchScript(places) },
  })
  const present = presentFolders()
  const survey = await surveySystem(present)
  const claude = deps.claudeProgram === null ? null : realOf(deps.claudeProgram)
  const fifos = createFifoPool(pool)
  await fifos.take(reports)
  return {
    base: {
      files,
      uid,
      system: present.filter((path) => !survey.folders.includes(path)),
      hiddenInSystem: [
        ...survey.files,
        ...(isRoot ? ROOT_ONLY.map((name) => `/proc/${name}`).filter(existsSync) : []),
      ],
      programs: claude === null || isInSystem(claude) ? [] : [claude],
    },
    program,
    enter: join(folder, 'enter'),
    runs,
    reports,
    fifos,
    isRoot,
  }
}

function findProgram({ platform }: JailDeps): string {
  if (platform !== 'linux') throw new Unavailable(reason('jail.platform', { platform }))
  const program = BUBBLEWRAP.find(isOursToTrust)
  if (program === undefined) throw new Unavailable(reason('jail.not-installed'))
  return program
}

function isOursToTrust(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    const { uid, mode } = statSync(path)
    return uid === 0 && (mode & 0o022) === 0
  } catch {
    return false
  }
}
