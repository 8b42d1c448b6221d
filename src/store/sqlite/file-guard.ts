/** Refuses to write to files that another program has changed: the store would mix two states. */

import type { Database } from '../../lib/sqlite/driver.js'
import { type FileProblem, FileWitness, setLogAside } from '../file-witness.js'
import type { WaitingWriter } from '../waiting-writer.js'

export interface FileGuardDeps {
  database: Database
  path: string
  writer: WaitingWriter
}

export class FileGuard {
  /** Null for an in-memory database. */
  readonly witness: FileWitness | null
  readonly #path: string
  readonly #writer: WaitingWriter

  constructor({ database, path, writer }: FileGuardDeps) {
    this.#path = path
    this.#writer = writer
    this.witness = path === ':memory:' ? null : new FileWitness(path, () => stampOf(database))
  }

  /** Whether the files are still those that this process wrote. If not, nothing more is written. */
  check(): boolean {
    const problem = this.#writer.isCondemned ? null : (this.witness?.check() ?? null)
    if (problem !== null) this.#condemn(problem)
    return !this.#writer.isCondemned
  }

  refuseChanged(): void {
    // Throws the problem that blocks the writer.
    if (!this.check()) this.#writer.attempt(() => {})
  }

  #condemn(problem: FileProblem): void {
    const since = new Date().toISOString()
    // If another program replaced the content through SQLite, the log belongs to the new content and stays.
    const kept = problem === 'replaced' ? '' : ` Its log is kept in ${setLogAside(this.#path, since)}.`
    this.#writer.block({ kind: 'damaged', message: `${CHANGES[problem]}${kept}`, since })
  }
}

/** The stamp that `Checkpoint` writes to the header. */
function stampOf(database: Database): number {
  const row = database.prepare('PRAGMA application_id').get() as { application_id: number }
  return row.application_id
}

const RESTART =
  'Nothing more is stored. Stop Signalbox, then restore a backup, or start again with the file that is there.'

/** Messages for changes by other programs. */
const CHANGES: Readonly<Record<FileProblem, string>> = {
  overwritten: `The database was overwritten while Signalbox runs. ${RESTART}`,
  replaced: `Another program has replaced the content of the database while Signalbox runs. ${RESTART}`,
  log_cut: `Another program has cut the write-ahead log of the database, so the newest events are lost. ${RESTART}`,
}
