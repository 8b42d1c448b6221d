/** A migration that gives all rows of the stream a common sequence. */

/** The columns of each table besides its sequence number, and its index. */
const NUMBERED = [
  {
    table: 'session_lifecycle_events',
    columns: `occurred_at_iso text not null, session_id text not null, provider text not null,
      phase text not null, project_path text, cwd text, raw_json text not null`,
    index: 'idx_session_events_time',
  },
  {
    table: 'turn_lifecycle_events',
    columns: `occurred_at_iso text not null, session_id text not null, provider text not null,
      phase text not null, prompt text, transcript_path text, project_path text, cwd text, raw_json text not null`,
    index: 'idx_turn_events_session_time',
  },
  {
    table: 'skill_lifecycle_events',
    columns: `occurred_at_iso text not null, session_id text not null, provider text not null,
      skill_name text not null, phase text not null, trigger_command text, target_doc_path text,
      turn_seq integer, project_path text, raw_json text not null`,
    index: 'idx_skill_events_session_time',
  },
  {
    table: 'other_lifecycle_events',
    columns: `occurred_at_iso text not null, session_id text not null, event_type text not null,
      phase text, raw_json text not null`,
    index: 'idx_other_events_session_time',
  },
]

/**
 * `seq` is the row id of each table, so it needs no index. Existing rows are numbered by time, but keep the order
 * within their table, which is that of the lines. Indexes are created after the copy: filling them row by row takes
 * several times as long.
 */
export const NUMBER_ROWS = `
  create temp table numbered_rows (seq integer primary key, source integer not null, number integer not null);
  insert into numbered_rows
    select row_number() over (order by time, source, number), source, number from (
      ${NUMBERED.map(
        ({ table }, source) =>
          `select ${source} as source, rowid as number,
            max(julianday(occurred_at_iso)) over (order by rowid) as time from ${table}`,
      ).join(' union all ')}
    );
  ${NUMBERED.map(
    ({ table, columns, index }, source) => `
      create table numbered_${table} (id text not null, ${columns}, seq integer primary key);
      insert into numbered_${table}
        select event.*, numbered.seq from numbered_rows numbered
        cross join ${table} event on event.rowid = numbered.number
        where numbered.source = ${source} order by numbered.seq;
      drop table ${table};
      alter table numbered_${table} rename to ${table};
      create unique index ${table}_id on ${table} (id);
      create index ${index} on ${table} (session_id, occurred_at_iso desc);`,
  ).join('')}
  drop table numbered_rows;
`
