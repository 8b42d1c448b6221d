/** Rows of the transcripts that were read: how far, and the marks of all lines that are in the log. */

import { type Database, inQuickTransaction, type Statement } from '../../lib/sqlite/driver.js'
import type { ConversationState, FileState } from './state.js'

/** Step of the terminal tables. */
export const TRANSCRIPT_TABLES = `
  -- One row for each session, and one for each of its subagents.
  create table transcript_files (
    session_id text not null,      -- Claude's
    agent_id text not null,        -- '' for the session itself
    project text,
    body text not null,
    primary key (session_id, agent_id)
  ) without rowid;

  -- Lines that are in the log, in whatever file they were: copies of them are skipped.
  create table transcript_marks (mark integer primary key);
`

export interface StoredConversation {
  project: string | null
  /** Our id of the session; null before it is in the log. */
  ours: string | null
  conversation: ConversationState
  main: FileState
  agents: Map<string, FileState>
}

interface Row {
  agent_id: string
  project: string | null
  body: string
}

interface MainBody {
  ours: string | null
  conversation: ConversationState
  file: FileState
}

export class TranscriptTable {
  readonly #database: Database
  readonly #load: Statement
  readonly #save: Statement
  readonly #has: Statement
  readonly #add: Statement
  readonly #offsets: Statement
  readonly #open: Statement

  constructor(database: Database) {
    this.#database = database
    this.#load = database.prepare('select agent_id, project, body from transcript_files where session_id = ?')
    this.#save = database.prepare('insert or replace into transcript_files values (?, ?, ?, ?)')
    this.#has = database.prepare('select 1 from transcript_marks where mark = ?')
    this.#add = database.prepare('insert or ignore into transcript_marks values (?)')
    this.#open = database.prepare(
      "select session_id as id from transcript_files where agent_id = '' and body ->> '$.conversation.isOpen' and not body ->> '$.conversation.isHooked'",
    )
    this.#offsets = database.prepare(
      "select session_id as id, agent_id as agent, body ->> '$.file.offset' as size from transcript_files",
    )
  }

  load(sessionId: string): StoredConversation | null {
    const rows = this.#load.all(sessionId) as Row[]
    const first = rows.find(({ agent_id }) => agent_id === '')
    if (!first) return null
    const { ours, conversation, file } = JSON.parse(first.body) as MainBody
    const agents = rows
      .filter(({ agent_id }) => agent_id !== '')
      .map(({ agent_id, body }) => [agent_id, (JSON.parse(body) as { file: FileState }).file] as const)
    return { project: first.project, ours, conversation, main: file, agents: new Map(agents) }
  }

  /** Call within a transaction. `agentIds`: those whose files were read. */
  save(sessionId: string, stored: StoredConversation, agentIds: Iterable<string>): void {
    const { project, ours, conversation, main, agents } = stored
    this.#save.run(
      sessionId,
      '',
      project,
      JSON.stringify({ ours, conversation, file: main } satisfies MainBody),
    )
    for (const agentId of agentIds) {
      const file = agents.get(agentId)
      if (file) this.#save.run(sessionId, agentId, null, JSON.stringify({ file }))
    }
  }

  /** For places without events. Not fsynced: the files can be read again. */
  inTransaction(work: () => void): void {
    inQuickTransaction(this.#database, work)
  }

  hasMark(mark: number): boolean {
    return this.#has.get(mark) !== undefined
  }

  addMarks(marks: readonly number[]): void {
    for (const mark of marks) this.#add.run(mark)
  }

  /** Sessions without hooks that nothing has ended. */
  openSessions(): string[] {
    return (this.#open.all() as { id: string }[]).map(({ id }) => id)
  }

  /** How far the file of each session, or of a subagent, was read. By `session/agent`. */
  offsets(): Map<string, number> {
    const rows = this.#offsets.all() as { id: string; agent: string; size: number }[]
    return new Map(rows.map(({ id, agent, size }) => [agent === '' ? id : `${id}/${agent}`, size]))
  }
}
