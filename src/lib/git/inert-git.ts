/**
 * Git on a store of our own, inert: no configuration of the system, the user or a repository, no hooks, filters, drivers,
 * alternates or network decide what it does. Attributes of a working tree are overridden by those of the store, so
 * files are stored byte for byte.
 */

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GitFailure, type GitResult, type GitRun, runGit } from './run-git.js'

export interface InertGitOptions extends Pick<GitRun, 'input' | 'signal' | 'onOutput' | 'isBackground'> {
  /** Where the files are. */
  workTree?: string
  /** Another index than that of the store. */
  index?: string
  /** A folder of objects to read besides those of the store. */
  objects?: string
  /** Settings for this command alone. */
  config?: Readonly<Record<string, string>>
  maxBytes?: number
  timeoutMs?: number
}

const MAX_BYTES = 256 * 1024 * 1024
const TIMEOUT_MS = 60_000
const NOWHERE = '/nonexistent'

/** Everything that git reads from its environment, and nothing else. */
const ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: NOWHERE,
  XDG_CONFIG_HOME: NOWHERE,
  LC_ALL: 'C',
  TZ: 'UTC',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_GRAFT_FILE: '/dev/null',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ALLOW_PROTOCOL: '',
} as const

export class InertGit {
  /** The folder that git calls `GIT_DIR`. */
  readonly store: string
  readonly #program: string

  constructor(program: string, store: string) {
    this.#program = program
    this.store = store
  }

  /** Resolves with the output. Rejects with `GitFailure` unless it exits with 0. */
  async run(args: readonly string[], options: InertGitOptions = {}): Promise<Buffer> {
    const { code, stdout, stderr } = await this.attempt(args, options)
    if (code === 0) return stdout
    throw new GitFailure('failed', `git ${args[0]} failed: ${stderr.trim() || `exit code ${code}`}`)
  }

  /** The same with any exit code. */
  attempt(args: readonly string[], options: InertGitOptions = {}): Promise<GitResult> {
    const { workTree, index, objects, config = {}, maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS } = options
    const settings = Object.entries(config).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    return runGit({
      ...options,
      program: this.#program,
      args: [...settings, ...args],
      cwd: workTree ?? this.store,
      env: {
        ...ENVIRONMENT,
        GIT_DIR: this.store,
        ...(workTree !== undefined && { GIT_WORK_TREE: workTree }),
        ...(index !== undefined && { GIT_INDEX_FILE: index }),
        ...(objects !== undefined && { GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(objects) }),
      },
      maxBytes,
      timeoutMs,
    })
  }

  /** Makes the store, or puts it in order: its settings are written anew, and locks of a killed process are removed. */
  prepare({ ignoresCase = false, isSha256 = false } = {}): void {
    for (const folder of ['objects/info', 'objects/pack', 'refs', 'info'])
      mkdirSync(join(this.store, folder), { recursive: true, mode: 0o700 })
    const write = (name: string, text: string) => writeFileSync(join(this.store, name), text, { mode: 0o600 })
    write('HEAD', 'ref: refs/heads/none\n')
    write('config', configText({ ignoresCase, isSha256 }))
    write('info/attributes', ATTRIBUTES)
    removeLocks(this.store)
  }
}

/** A colon would begin another folder. */
function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, '\\$&')}"`
}

/** `!diff` and `!merge`: an attribute of the working tree must not turn a text into a binary file. */
const ATTRIBUTES = '* -text -eol -ident -filter -working-tree-encoding !diff !merge !export-subst\n'

function configText({ ignoresCase, isSha256 }: { ignoresCase: boolean; isSha256: boolean }): string {
  return `[core]
\trepositoryFormatVersion = ${isSha256 ? 1 : 0}
\tbare = false
\tfileMode = true
\tsymlinks = true
\tignoreCase = ${ignoresCase}
\tprecomposeUnicode = false
\tautocrlf = false
\tsafecrlf = false
\tfsmonitor = false
\thooksPath = /dev/null
\tattributesFile = /dev/null
\texcludesFile = /dev/null
\tprotectNTFS = false
\tprotectHFS = false
\tlogAllRefUpdates = false
\tquotePath = false
\tsharedRepository = 0600
\tlooseCompression = 1
${isSha256 ? '[extensions]\n\tobjectFormat = sha256\n' : ''}[index]
\tversion = 4
[gc]
\tauto = 0
[maintenance]
\tauto = false
[pack]
\tthreads = 1
\twindowMemory = 64m
[protocol]
\tallow = never
[submodule]
\trecurse = false
`
}

/** Only one process uses the store at a time, so a lock that is found here belongs to one that was killed. */
function removeLocks(store: string): void {
  for (const name of readdirSync(store))
    if (name.endsWith('.lock') || name.startsWith('index.')) rmSync(join(store, name), { force: true })
}
