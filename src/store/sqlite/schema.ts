/** The schema, as a list of migrations. A released migration is never changed; a change is a new migration. */

import { type Database, inTransaction } from '../../lib/sqlite/driver.js'
import { HubError } from '../../protocol/error.js'

const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE session (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    cwd TEXT NOT NULL,
    search TEXT NOT NULL,
    is_active INTEGER NOT NULL,
    claude_session_id TEXT,
    snapshot TEXT NOT NULL
  );
  CREATE INDEX session_by_state ON session (state, id);
  CREATE INDEX session_by_claude ON session (claude_session_id);
  CREATE INDEX session_active ON session (id) WHERE is_active = 1;

  -- Small integer keys keep the index on (session, seq) small: it is the largest part of a write.
  CREATE TABLE event (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES session (key),
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL
  );
  CREATE UNIQUE INDEX event_by_session ON event (session, seq);

  CREATE TABLE request (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    state TEXT NOT NULL,
    body TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX request_by_state ON request (state, id);

  CREATE TABLE once (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (scope, key)
  ) WITHOUT ROWID;

  CREATE TABLE session_options (
    session_id TEXT PRIMARY KEY,
    options TEXT NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE workspace (
    path TEXT PRIMARY KEY,
    trusted_at TEXT NOT NULL,
    trusted_by TEXT NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE process (
    pid INTEGER PRIMARY KEY,
    start_token TEXT NOT NULL,
    session_id TEXT NOT NULL
  );

  CREATE TABLE credential (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    kind TEXT NOT NULL,
    digest TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    expires_at TEXT
  ) WITHOUT ROWID;
  `,
  'ALTER TABLE credential ADD COLUMN parent_id TEXT',
  `
  CREATE TABLE usage (
    session INTEGER NOT NULL REFERENCES session (key),
    hour INTEGER NOT NULL,
    model TEXT NOT NULL,
    source TEXT NOT NULL,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cache_creation INTEGER NOT NULL,
    cost REAL NOT NULL,
    PRIMARY KEY (session, hour, model, source)
  ) WITHOUT ROWID;
  CREATE INDEX usage_by_hour ON usage (hour);

  -- Only the index: the text itself is in the event with the same position.
  CREATE VIRTUAL TABLE event_text USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
  `,
  `
  CREATE TABLE audit (
    number INTEGER PRIMARY KEY,
    entry TEXT NOT NULL,
    hash TEXT NOT NULL
  );
  -- Where the audit ends, so that rows that vanish from its end are missed.
  CREATE TABLE audit_head (
    number INTEGER NOT NULL,
    hash TEXT NOT NULL
  );
  INSERT INTO audit_head VALUES (0, '');
  `,
  `
  -- How far the text of events has been indexed.
  CREATE TABLE indexed (position INTEGER NOT NULL);
  INSERT INTO indexed SELECT coalesce(max(position), 0) FROM event;
  `,
  `
  CREATE TABLE transcript (
    path TEXT PRIMARY KEY,
    record TEXT NOT NULL
  );
  `,
  `
  CREATE TABLE secret (
    session_id TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (session_id, value)
  ) WITHOUT ROWID;

  -- The newest event that was trimmed: who has read less may have missed something.
  CREATE TABLE trimmed (position INTEGER NOT NULL);
  INSERT INTO trimmed VALUES (0);
  `,
  `
  -- What lists are asked for by, newest first. Not the kind: there are two of them, and it would be taken for a good start.
  CREATE INDEX session_by_cwd ON session (cwd, id);
  CREATE INDEX request_by_session ON request (session_id, state, id);
  -- Usage is read as a whole, in the order of its key.
  DROP INDEX usage_by_hour;
  `,
  "ALTER TABLE secret ADD COLUMN source TEXT NOT NULL DEFAULT 'file'",
  `
  -- Versions before this one may have written an audit without a seal.
  CREATE TABLE audit_state (is_sealed INTEGER NOT NULL);
  INSERT INTO audit_state VALUES (0);
  `,
  `
  -- The process that uses this file: the lock file can be deleted. A copy of the file has another identity.
  CREATE TABLE holder (pid INTEGER NOT NULL, start_token TEXT NOT NULL, file TEXT NOT NULL);
  `,
  `
  ALTER TABLE session ADD COLUMN external_id TEXT;
  CREATE INDEX session_by_external_id ON session (external_id, id) WHERE external_id IS NOT NULL;
  `,
  `
  -- Up to here a start has closed what the log shows as open.
  CREATE TABLE recovered (position INTEGER NOT NULL);
  INSERT INTO recovered VALUES (0);
  `,
  `
  ALTER TABLE request ADD COLUMN tool_use_id TEXT;
  UPDATE request SET tool_use_id = json_extract(body, '$.toolUseId') WHERE json_valid(body);
  CREATE INDEX request_by_tool_use ON request (tool_use_id, id) WHERE tool_use_id IS NOT NULL;
  `,
  "ALTER TABLE once ADD COLUMN digest TEXT NOT NULL DEFAULT ''",
  'CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
  `
  -- Where the numbers of events jump, because the log goes on from an older copy: for positions, and for sessions up to an id.
  CREATE TABLE log_break (
    floor INTEGER NOT NULL,
    position INTEGER NOT NULL,
    last_session TEXT NOT NULL
  );
  `,
  `
  ALTER TABLE session ADD COLUMN condition TEXT;
  -- Snapshots are made anew when they are read. Until then the filter finds what the log says.
  UPDATE session SET condition = 'failed' WHERE state = 'idle' AND (
    SELECT CASE WHEN json_valid(data) THEN data ->> '$.outcome' END
    FROM event WHERE event.session = session.key AND type = 'turn.ended' ORDER BY seq DESC LIMIT 1
  ) = 'failed';
  UPDATE session SET condition = 'interrupted' WHERE state = 'idle'
    AND CASE WHEN json_valid(snapshot) THEN snapshot ->> '$.isInterrupted' END;
  CREATE INDEX session_by_condition ON session (condition, id) WHERE condition IS NOT NULL;
  `,
  `
  ALTER TABLE session ADD COLUMN is_archived INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE session ADD COLUMN tags TEXT NOT NULL DEFAULT '';
  `,
  // Processes are facts of a machine: they have folders in its home instead.
  'DROP TABLE process',
  `
  -- The machine that a session runs on; a path is a place only together with it.
  ALTER TABLE session ADD COLUMN machine TEXT NOT NULL DEFAULT 'local';
  CREATE TABLE trusted (
    machine TEXT NOT NULL,
    path TEXT NOT NULL,
    trusted_at TEXT NOT NULL,
    trusted_by TEXT NOT NULL,
    PRIMARY KEY (machine, path)
  ) WITHOUT ROWID;
  INSERT INTO trusted SELECT 'local', path, trusted_at, trusted_by FROM workspace;
  DROP TABLE workspace;
  `,
  `
  CREATE TABLE prompt (
    name TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    saved_at TEXT NOT NULL,
    saved_by TEXT NOT NULL,
    role TEXT NOT NULL
  ) WITHOUT ROWID;
  `,
  `
  -- Decisions of users among the many of the policy. The same words as in the query.
  CREATE INDEX audit_by_person ON audit (number) WHERE instr(entry, '"by":"person"') > 0;
  `,
  `
  -- Usage of deleted sessions: what was spent stays spent. Without title and text.
  CREATE TABLE deleted_usage (
    session_id TEXT NOT NULL,
    cwd TEXT NOT NULL,
    hour INTEGER NOT NULL,
    model TEXT NOT NULL,
    source TEXT NOT NULL,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cache_creation INTEGER NOT NULL,
    cost REAL NOT NULL,
    PRIMARY KEY (session_id, hour, model, source)
  ) WITHOUT ROWID;
  -- Their conversations, so that a transcript is not counted beside it.
  CREATE TABLE deleted_conversation (
    claude_session_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    is_adopted INTEGER NOT NULL
  ) WITHOUT ROWID;
  `,
  `
  -- Small documents: users, channels, devices, answer tokens, the outbox of notifications, cursors of subscribers.
  CREATE TABLE record (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (kind, id)
  ) WITHOUT ROWID;
  ALTER TABLE credential ADD COLUMN user_name TEXT;
  ALTER TABLE credential ADD COLUMN device TEXT;
  `,
  `
  -- Runners in processes of their own: the newest spool of each machine, and up to which number it is stored.
  CREATE TABLE machine (
    id TEXT PRIMARY KEY,
    spool TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    last_n INTEGER NOT NULL
  ) WITHOUT ROWID;
  `,
  'ALTER TABLE credential ADD COLUMN answers_by_mcp INTEGER NOT NULL DEFAULT 0',
  `
  -- How far the output of a session's running process has become events.
  CREATE TABLE launch_point (
    session INTEGER PRIMARY KEY REFERENCES session (key),
    launch TEXT NOT NULL,
    output_offset INTEGER NOT NULL,
    state TEXT NOT NULL
  );
  `,
]

/** The newest schema version. */
export const SCHEMA_VERSION = MIGRATIONS.length

/** 0: an empty database. */
export function versionOf(database: Database): number {
  const row = database.prepare('PRAGMA user_version').get() as { user_version: number }
  return row.user_version
}

/** A process that a daemon before version 20 has started, with what the system said of its start. */
export interface OldProcess {
  readonly pid: number
  readonly startToken: string
}

/** Read before the migration that drops them. */
export function oldProcessesOf(database: Database): OldProcess[] {
  const version = versionOf(database)
  if (version < 1 || version >= PROCESSES_DROPPED) return []
  return database.prepare('SELECT pid, start_token AS startToken FROM process').all() as OldProcess[]
}

const PROCESSES_DROPPED = 20

/**
 * Migrates the database to the newest version or, for tests, to an older one. Refuses a database of a newer version.
 */
export function migrate(database: Database, upTo = SCHEMA_VERSION): void {
  const version = versionOf(database)
  if (version < 0) {
    throw new HubError(
      'storage_damaged',
      `The database is damaged: it says schema ${version}. Keep a copy of it, then restore a backup with "signalbox restore FILE".`,
    )
  }
  if (version > MIGRATIONS.length) {
    throw new HubError(
      'storage_damaged',
      `The database was written by a newer version of Signalbox (schema ${version}, known ${MIGRATIONS.length}). Update Signalbox, or use another home.`,
    )
  }
  for (const [index, step] of MIGRATIONS.slice(version, upTo).entries()) {
    inTransaction(database, () => {
      database.exec(step)
      database.exec(`PRAGMA user_version = ${version + index + 1}`)
    })
  }
}
