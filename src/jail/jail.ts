/** The read-only jail: verified once per start of the daemon, then asked for every command that may run in it. */

import { join } from 'node:path'
import type { JailStatus } from '../protocol/jail.js'
import { reason, saying } from '../protocol/reason/reason.js'
import type { ReasonPart } from '../protocol/reason/reason-part.js'
import { createGitHistory } from './git/git-history.js'
import { jailArguments } from './jail-arguments.js'
import { jailEnvironment } from './jail-environment.js'
import { aliasesIn, misplacement, realOf } from './jail-place.js'
import { runInJail } from './jail-script-run.js'
import { type JailDeps, type JailSetup, setUpJail, Unavailable } from './jail-setup.js'
import { insideScript } from './launch-script.js'
import { findEscapes } from './probe.js'
import { createProcessWatch } from './process-count.js'
import { type ReportReader, readReports } from './report-reader.js'
import { createRuns, type Obstacle, type RunSource, type Runs } from './run.js'
import { shellWord } from './shell-word.js'
import { createLooker, type Look } from './view/workspace-look.js'

export interface JailedCommand {
  command: string
  cwd: string
  workspace: string
  /** Of the session: only listed variables get in. */
  env: Readonly<Record<string, string | undefined>>
  /**
   * It runs git, which fails without the objects of the repository. `names`: and shows no content of them, which is proven;
   * then it has them, also where one of them is that of a protected file.
   */
  git?: 'names' | 'content'
  /** Words of it, as far as they are known: a link that one of them names is there. */
  words?: readonly string[]
}

/**
 * The command for the CLI's shell and the id by which the run is dropped, or why the command cannot run in
 * the jail.
 */
export type Wrapped = { command: string; id: string; claudeFolders: readonly string[] } | Obstacle

export interface Jail {
  readonly status: JailStatus
  /** Tests the jail by escape probes, once; resolves with the result. Never rejects. */
  verify(): Promise<JailStatus>
  wrap(command: JailedCommand): Promise<Wrapped>
  /** Whether git can show no protected file from here, whatever it shows; false if that is not known. */
  isHistoryClean(workspace: string, env: JailedCommand['env']): Promise<boolean>
  /** Drops a wrapped command that will not be run. A command that has begun is not affected. */
  drop(id: string): void
  /** Waits for a test that still runs. Idempotent. */
  close(): Promise<void>
}

interface Working extends JailSetup {
  book: Runs
  reader: ReportReader
}

const FILTER_DESCRIPTOR = 9

export function createJail(deps: JailDeps): Jail {
  const home = realOf(deps.home) ?? deps.home
  const history = createGitHistory((gitFolder) => (script, input) => runOn(gitFolder, script, input))
  const looker = createLooker(home, history)
  let status: JailStatus = { state: 'checking', kind: null, ...saying(reason('jail.checking')) }
  let verified: Promise<JailStatus> | null = null
  let working: Working | null = null

  async function verify(): Promise<JailStatus> {
    try {
      const setup = await setUpJail(home, deps)
      working = { ...setup, ...start(setup) }
      const escapes = await findEscapes({ folder: join(home, 'tmp'), wrap: wrapVerified })
      if (escapes !== null) throw new Unavailable(escapes)
      return { state: 'verified', kind: 'bubblewrap', reason: null }
    } catch (error) {
      const why =
        error instanceof Unavailable ? error.reason : reason('jail.untested', { problem: textOf(error) })
      return { state: 'unavailable', kind: null, ...saying(why) }
    }
  }

  async function runOn(gitFolder: string, script: string, input: string): Promise<Buffer | null> {
    if (working === null) return null
    const plan = {
      ...working.base,
      env: jailEnvironment({}),
      folders: [gitFolder],
      aliases: [],
      hidden: { files: [], folders: [], closed: [] },
      cwd: '/',
    }
    return runInJail(working.program, plan, script, input)
  }

  async function wrapVerified(wanted: JailedCommand): Promise<Wrapped> {
    const { command, cwd, workspace, env, git, words = [] } = wanted
    const [root, folder] = [realOf(workspace), realOf(cwd)]
    if (working === null) return { problem: reason('jail.none') }
    if (root === null || folder === null) return { problem: reason('jail.folder-gone') }
    if (folder !== root && !folder.startsWith(`${root}/`)) return { problem: reason('jail.outside') }
    const inside = insideScript(command)
    const problem = misplacement(root) ?? (inside === null ? reason('jail.command-long') : null)
    if (problem !== null || inside === null) return { problem: problem ?? reason('jail.none') }
    const { base, book, enter } = working
    let planned: Look | null = null
    let changes = 0
    // Git fails without its objects, so its history must be scanned before the command runs.
    const lookAt = (isFresh: boolean) =>
      looker.look(root, env['HOME'], isFresh ? 'all' : git === undefined ? 'nothing' : 'history')
    const source: RunSource = {
      inside,
      root,
      async plan(isFresh) {
        changes = await looker.changes(root)
        const look = await lookAt(isFresh)
        if ('problem' in look) return look
        if (git === 'content' && !look.isHistoryClean) return { problem: reason('jail.not-clean') }
        if (git !== undefined && look.hasBorrowedName) return { problem: reason('jail.tracked-hidden') }
        planned = look
        if (git !== undefined && look.gitConfigs.length > 0)
          return { problem: reason('jail.git-credentials') }
        const { folders } = look
        const hidden = git === undefined ? hiddenWithoutGit(look) : look.hidden
        const aliases = aliasesIn(words, root)
        const plan = { ...base, env: jailEnvironment(env), folders, aliases, hidden, cwd: folder }
        return { words: jailArguments(plan, FILTER_DESCRIPTOR) }
      },
      async isStillHidden() {
        const look = await lookAt(true)
        const isQuiet = (await looker.changes(root)) === changes
        return isQuiet && !('problem' in look) && isSame(look.identities, planned?.identities)
      },
    }
    const run = await book.prepare(source)
    if ('problem' in run) return run
    const { claudeFolders } = planned as unknown as Look // `prepare` has asked for a plan.
    return { command: `. ${shellWord(enter)} ${run.id}`, id: run.id, claudeFolders }
  }

  return {
    get status() {
      return status
    },
    verify() {
      verified ??= verify().then((result) => (status = result))
      return verified
    },
    async isHistoryClean(workspace, env) {
      const root = realOf(workspace)
      return root !== null && looker.isHistoryClean(root, env['HOME'])
    },
    drop: (id) => working?.book.drop(id),
    async close() {
      await verified
      working?.book.close()
      working?.reader.close()
      looker.close()
      await working?.fifos.close()
    },
    async wrap(command) {
      if (status.state !== 'verified') return { problem: jailProblem(status) }
      try {
        return await wrapVerified(command)
      } catch (error) {
        return { problem: reason('jail.workspace-unreadable', { problem: textOf(error) }) }
      }
    },
  }
}

/** Why commands cannot run in a jail now. */
export function jailProblem({ reasonParts: [first] = [] }: JailStatus): ReasonPart {
  return first ?? reason('jail.none')
}

function start({ runs, reports, fifos, isRoot }: JailSetup): { book: Runs; reader: ReportReader } {
  // The kernel counts the processes of a user, but not those of root.
  const newWatch = isRoot ? createProcessWatch : () => () => false
  const book = createRuns({ folder: runs, fifos, newWatch })
  return { book, reader: readReports(reports, (line) => book.report(line)) }
}

/** A command without git needs neither the objects of the repository nor its configuration. */
function hiddenWithoutGit({ hidden, objects, gitConfigs }: Look): Look['hidden'] {
  return {
    ...hidden,
    folders: [...hidden.folders, ...objects],
    files: [...hidden.files, ...gitConfigs],
  }
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string> | undefined): boolean {
  return one.size === other?.size && [...one].every((value) => other.has(value))
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown failure'
}
