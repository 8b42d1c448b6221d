/**
 * The folder of one CLI process, below `run/` in the home: what a later run of the daemon must know to recognise the
 * process, and the files by which the process is reached. Local facts of this machine, so not in the store.
 */

import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { startTokenOf } from '../../lib/start-token.js'

/** A record of another format is of a version that this one does not know: its process is not adopted. */
const FORMAT = 1

export const LaunchRecord = z.object({
  format: z.literal(FORMAT),
  /** Empty for a process that no session uses yet. */
  sessionId: z.string(),
  /** Carried by the process, and by all that it starts, in the environment. */
  mark: z.string(),
  /** Only of a process that can be attached to. */
  kept: z
    .object({
      /** Version of the SDK that has started it. */
      sdk: z.string(),
      /** Digest of the settings that only a new process gets. */
      settings: z.string(),
      /** Digest of the names of its callbacks: hooks, and tools of ours. */
      callbacks: z.string(),
    })
    .optional(),
})
export type LaunchRecord = z.infer<typeof LaunchRecord>

export type KeptRecord = NonNullable<LaunchRecord['kept']>

/** A process as the system knows it. The start token detects that its pid was given to another one. */
export interface KnownProcess {
  readonly pid: number
  readonly startToken: string
}

export class LaunchFolder {
  readonly path: string
  readonly id: string

  constructor(parent: string, id: string) {
    this.id = id
    this.path = join(parent, id)
  }

  file(name: string): string {
    return join(this.path, name)
  }

  /** Null if it is damaged, or of another version. */
  get record(): LaunchRecord | null {
    const parsed = LaunchRecord.safeParse(parse(this.#read('launch.json')))
    return parsed.success ? parsed.data : null
  }

  write(record: Omit<LaunchRecord, 'format'>): void {
    this.#replace('launch.json', JSON.stringify({ format: FORMAT, ...record }))
  }

  /** Another version of the SDK drives its process now. */
  noteKept(kept: KeptRecord): void {
    const { record } = this
    if (record) this.write({ sessionId: record.sessionId, mark: record.mark, kept })
  }

  /** Its process; null before there is one. */
  get process(): KnownProcess | null {
    const [pid = '', startToken = ''] = (this.#read('pid') ?? '').split(' ')
    return /^[1-9]\d*$/.test(pid) ? { pid: Number(pid), startToken } : null
  }

  noteProcess(pid: number): void {
    this.#replace('pid', `${pid} ${startTokenOf(pid) ?? ''}`)
  }

  #read(name: string): string | null {
    try {
      return readFileSync(this.file(name), 'utf8')
    } catch {
      return null
    }
  }

  /** By rename: a reader finds the old content or the new one, never a part. */
  #replace(name: string, content: string): void {
    writeFileSync(this.file(`${name}.new`), content, { mode: 0o600 })
    renameSync(this.file(`${name}.new`), this.file(name))
  }

  /** Idempotent. */
  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

const NAME = /^[0-9a-f]{12}$/

export class LaunchFolders {
  readonly #path: string

  /** `path`: the folder of all launches, made when the first is. */
  constructor(path: string) {
    this.#path = path
  }

  create(): LaunchFolder {
    const folder = new LaunchFolder(this.#path, randomBytes(6).toString('hex'))
    mkdirSync(this.#path, { recursive: true, mode: 0o700 })
    mkdirSync(folder.path, { mode: 0o700 })
    return folder
  }

  /** Those that a previous run has left, and those of this one. */
  list(): LaunchFolder[] {
    return namesIn(this.#path)
      .filter((name) => NAME.test(name))
      .map((name) => new LaunchFolder(this.#path, name))
      .filter(({ path }) => statSync(path, { throwIfNoEntry: false })?.isDirectory())
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // No process has been started yet.
  }
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return null
  }
}
