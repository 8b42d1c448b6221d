/** The read-only jail: verified once per start of the daemon, then asked for every command that may run in it. */

import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { JailStatus } from '../protocol/jail.js'
import { commonGitFolder } from './git-folder.js'
import { createGitHistory } from './git-history.js'
import { createHiddenFiles } from './hidden-file.js'
import { jailEnvironment } from './jail-environment.js'
import { prepareJailFiles } from './jail-files.js'
import { findEscapes } from './probe.js'
import { seccompProgram } from './seccomp.js'
import { SYSTEM_FOLDERS } from './system-folder.js'
import { type JailPlan, wrapCommand } from './wrap.js'

export interface JailDeps {
  /** The home of Signalbox, which no command in the jail sees. */
  home: string
  /** The CLI's own program, which is `find`, `grep` and `rg` in its shell. */
  claudeProgram: string | null
  /** The variable by which processes of this home are found; null where nobody looks for them. */
  mark: string | null
  platform: NodeJS.Platform
  arch: string
}

export interface JailedCommand {
  command: string
  cwd: string
  workspace: string
  /** Of the session: only listed variables get in. */
  env: Readonly<Record<string, string | undefined>>
  /** It runs git: without the repository's objects it would fail. */
  needsGit?: boolean
}

/** The command as the CLI's shell must run it, or why it cannot run in the jail. */
export type Wrapped = { command: string } | { problem: string }

export interface Jail {
  readonly status: JailStatus
  /** Tests the jail by escape probes, once; resolves with the result. Never rejects. */
  verify(): Promise<JailStatus>
  wrap(command: JailedCommand): Promise<Wrapped>
  /** Waits for a test that still runs. May be called twice. */
  close(): Promise<void>
}

/** The only places: an agent must not be able to bring its own. */
const PROGRAMS = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap']
/** Inside nobody is root, also where the daemon runs as root. */
const INSIDE_UID = 1000

export function createJail(deps: JailDeps): Jail {
  const hiddenFiles = createHiddenFiles()
  const home = realOf(deps.home) ?? deps.home
  let status: JailStatus = { state: 'checking', kind: null, reason: 'It is being tested.' }
  let verified: Promise<JailStatus> | null = null
  let base: Pick<JailPlan, 'program' | 'files' | 'programs' | 'uid' | 'mark'> | null = null

  async function verify(): Promise<JailStatus> {
    try {
      const program = findProgram(deps)
      const filter = seccompProgram(deps.arch)
      if (filter === null) throw new Unavailable(`The system calls of ${deps.arch} are not known.`)
      const { uid: outside, username } = userInfo()
      const uid = outside === 0 ? INSIDE_UID : outside
      const files = prepareJailFiles(join(home, 'jail'), { uid, username, filter })
      const claude = deps.claudeProgram === null ? null : realOf(deps.claudeProgram)
      base = { program, files, uid, mark: deps.mark, programs: claude === null ? [] : [claude] }
      const escapes = await findEscapes({
        folder: join(home, 'tmp'),
        wrap: (command) => wrapVerified(command),
      })
      if (escapes !== null) throw new Unavailable(escapes)
      return { state: 'verified', kind: 'bubblewrap', reason: null }
    } catch (error) {
      const reason = error instanceof Unavailable ? error.message : `It could not be tested: ${textOf(error)}`
      return { state: 'unavailable', kind: null, reason }
    }
  }

  const history = createGitHistory({
    async wrap(command, workspace) {
      const wrapped = await wrapVerified({ command, cwd: workspace, workspace, env: {} }, true)
      return 'command' in wrapped ? wrapped.command : null
    },
  })

  /** Where a history with protected files lies: the whole of it is hidden. */
  async function hiddenObjects(root: string, common: string | null): Promise<string[]> {
    const gitFolder = common ?? join(root, '.git')
    if (!isFolder(join(gitFolder, 'objects')) || (await history.isClean(root, gitFolder))) return []
    return ['objects', 'modules', 'lfs'].map((name) => join(gitFolder, name)).filter(isFolder)
  }

  async function wrapVerified(
    { command, cwd, workspace, env, needsGit = false }: JailedCommand,
    isScan = false,
  ): Promise<Wrapped> {
    const [root, folder] = [realOf(workspace), realOf(cwd)]
    if (base === null) return { problem: 'There is no jail.' }
    if (root === null || folder === null) return { problem: 'The folder is gone.' }
    if (!isWithin(folder, root)) return { problem: 'The command would not run inside the workspace.' }
    const misplaced = misplacement(root)
    if (misplaced !== null) return { problem: misplaced }
    const common = commonGitFolder(root)
    const folders = [root, ...(common === null || isWithin(common, root) ? [] : [common])]
    const hidden = await hiddenFiles.find(folders, await secretsElsewhere(home, env['HOME']), [home])
    if ('problem' in hidden) return hidden
    const objects = isScan ? [] : await hiddenObjects(root, common)
    if (needsGit && objects.length > 0)
      return { problem: 'The history of the repository holds protected files, or is not known yet.' }
    const plan = {
      ...base,
      env: jailEnvironment(env),
      folders,
      hidden: { files: hidden.files, folders: [...hidden.folders, ...objects] },
      cwd: folder,
    }
    const wrapped = wrapCommand(command, plan)
    return wrapped === null
      ? { problem: 'The command, or the list of files to hide from it, is too long.' }
      : { command: wrapped }
  }

  return {
    get status() {
      return status
    },
    verify() {
      verified ??= verify().then((result) => (status = result))
      return verified
    },
    async close() {
      await verified
    },
    async wrap(command) {
      if (status.state !== 'verified') return { problem: status.reason ?? 'There is no jail.' }
      try {
        return await wrapVerified(command)
      } catch (error) {
        return { problem: `The workspace could not be read: ${textOf(error)}` }
      }
    },
  }
}

class Unavailable extends Error {}

function findProgram({ platform }: JailDeps): string {
  if (platform !== 'linux')
    throw new Unavailable(`There is no jail for ${platform}: it needs bubblewrap, which runs on Linux.`)
  const program = PROGRAMS.find(isOursToTrust)
  if (program === undefined)
    throw new Unavailable('bubblewrap is not installed. Install the package bubblewrap.')
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

/** Folders of the system are in the jail as they are; as a workspace they would be searched for hours. */
function misplacement(root: string): string | null {
  const isSystem = root === '/' || [...SYSTEM_FOLDERS, '/etc', '/proc', '/sys', '/dev', '/run'].includes(root)
  if (isSystem) return `${root} cannot be the workspace of a jail.`
  const { uid, mode } = statSync(root)
  const isReadable = uid === userInfo().uid || (mode & 0o005) === 0o005
  // Root without capabilities is a user like others.
  return isReadable ? null : 'The workspace belongs to another user, and the jail has no right to read it.'
}

/** Files outside the workspace that no hard link inside it may show. */
async function secretsElsewhere(home: string, userHome: string | undefined): Promise<string[]> {
  const own = await filesIn(home)
  if (userHome === undefined) return own
  const keys = await filesIn(join(userHome, '.ssh'))
  return [...own, ...keys, ...USER_SECRETS.map((name) => join(userHome, name))]
}

const USER_SECRETS = [
  '.aws/credentials',
  '.claude.json',
  '.claude/.credentials.json',
  '.config/gh/hosts.yml',
  '.docker/config.json',
  '.git-credentials',
  '.kube/config',
  '.netrc',
  '.npmrc',
  '.pgpass',
  '.pypirc',
]

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.map((name) => join(folder, name))
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown failure'
}
