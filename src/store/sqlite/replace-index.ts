/** Recreates the search index when its pages are damaged. */

import { type Database, inTransaction } from '../../lib/sqlite/driver.js'

/** Must match the schema. */
export const CREATE_INDEX =
  "CREATE VIRTUAL TABLE event_text USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2')"

/**
 * The shadow tables of FTS5. They are removed from the schema instead of dropped: `DROP TABLE` walks their pages, which
 * fails on damaged ones, or follows a wrong page number and frees pages of other tables. The pages stay unused until
 * `signalbox backup` copies the database.
 */
const FORGET = `DELETE FROM sqlite_master WHERE type IN ('table', 'index')
  AND tbl_name IN ('event_text', 'event_text_data', 'event_text_idx', 'event_text_docsize', 'event_text_config')`

export function replaceIndex(database: Database): void {
  // In defensive mode SQLite refuses to change its schema table.
  database.enableDefensive(false)
  try {
    inTransaction(database, () => {
      database.exec(`PRAGMA writable_schema = ON; ${FORGET}; PRAGMA writable_schema = RESET`)
      database.exec(`${CREATE_INDEX}; UPDATE indexed SET position = 0`)
    })
  } finally {
    // Also reloads the schema after a rollback.
    database.exec('PRAGMA writable_schema = RESET')
    database.enableDefensive(true)
  }
}
