/** The tables of the lifecycle stream. They have their own migrations, so that they can be in a shared database. */

import { type Database, inTransaction } from '../../lib/sqlite/driver.js'
import { TRANSCRIPT_TABLES } from '../transcript/table.js'
import { NUMBER_ROWS } from './number-rows.js'

const VIEWS = `
  -- The newest row of each session: the order of rows is the order of lines.
  create view if not exists lifecycle_session_states as
    select session_id, provider, project_path, cwd, phase, occurred_at_iso,
      case phase when 'ended' then 'ended' else 'active' end as state
    from session_lifecycle_events
    where rowid in (select max(rowid) from session_lifecycle_events group by session_id);

  -- A skill that a person typed has no end of its own: it ends with its turn or its session.
  create view if not exists lifecycle_skill_states as
    select skill.session_id, skill.skill_name, skill.trigger_command, skill.target_doc_path, skill.phase,
      skill.occurred_at_iso,
      case
        when skill.phase = 'completed' then 'completed'
        when exists (select 1 from turn_lifecycle_events turn where turn.session_id = skill.session_id
          and turn.phase = 'end' and turn.occurred_at_iso >= skill.occurred_at_iso) then 'completed'
        when exists (select 1 from session_lifecycle_events ended where ended.session_id = skill.session_id
          and ended.phase = 'ended' and ended.occurred_at_iso >= skill.occurred_at_iso) then 'completed'
        else 'in_progress'
      end as state
    from skill_lifecycle_events skill
    where skill.rowid in (select max(rowid) from skill_lifecycle_events group by session_id, skill_name);
`

const STEPS: readonly string[] = [
  `
  create table if not exists session_lifecycle_events (
    id text primary key,
    occurred_at_iso text not null,
    session_id text not null,
    provider text not null,
    phase text not null,
    project_path text,
    cwd text,
    raw_json text not null
  );
  create index if not exists idx_session_events_time
    on session_lifecycle_events (session_id, occurred_at_iso desc);

  create table if not exists skill_lifecycle_events (
    id text primary key,
    occurred_at_iso text not null,
    session_id text not null,
    provider text not null,
    skill_name text not null,
    phase text not null,
    trigger_command text,
    target_doc_path text,
    turn_seq integer,
    project_path text,
    raw_json text not null
  );
  create index if not exists idx_skill_events_session_time
    on skill_lifecycle_events (session_id, occurred_at_iso desc);

  create table if not exists turn_lifecycle_events (
    id text primary key,
    occurred_at_iso text not null,
    session_id text not null,
    provider text not null,
    phase text not null,           -- start | end
    prompt text,
    transcript_path text,
    project_path text,
    cwd text,
    raw_json text not null
  );
  create index if not exists idx_turn_events_session_time
    on turn_lifecycle_events (session_id, occurred_at_iso desc);

  -- Subagents, compaction, answers, and kinds that this version does not know.
  create table if not exists other_lifecycle_events (
    id text primary key,
    occurred_at_iso text not null,
    session_id text not null,
    event_type text not null,
    phase text,
    raw_json text not null
  );
  create index if not exists idx_other_events_session_time
    on other_lifecycle_events (session_id, occurred_at_iso desc);

  create table if not exists lifecycle_bad_lines (
    stream_key text not null,
    file_head text not null,       -- which of the stream's files: the digest of its first line
    byte_offset integer not null,
    line_digest text not null,
    byte_length integer not null,
    reason text not null,
    line_start text not null,
    seen_at_iso text not null,
    primary key (stream_key, file_head, byte_offset, line_digest)
  ) without rowid;

  -- One row for the stream itself, and one for each rotated file that still exists.
  create table if not exists lifecycle_stream_offsets (
    stream_key text primary key,
    inode text not null,
    byte_offset integer not null,
    updated_at_iso text not null,
    device text not null,
    head_digest text,
    stream_path text not null,
    is_live integer not null,
    revision integer not null
  );
  create index if not exists idx_stream_offsets_path on lifecycle_stream_offsets (stream_path);

  ${VIEWS}
  `,
  `
  drop view lifecycle_session_states;
  drop view lifecycle_skill_states;
  ${NUMBER_ROWS}
  ${VIEWS}

  -- How far each reader of the rows has come.
  create table lifecycle_cursors (
    reader text primary key,
    seq integer not null,
    updated_at_iso text not null
  ) without rowid;
  `,
  TRANSCRIPT_TABLES,
]

/** Writes nothing if the tables exist, because a daemon must start on a full disk too. */
export function createTables(database: Database): void {
  if (isCurrent(database)) return
  inTransaction(database, () => {
    database.exec('create table if not exists lifecycle_schema (version integer not null)')
    const row = database.prepare('select version from lifecycle_schema').get() as
      | { version: number }
      | undefined
    const version = row?.version ?? 0
    if (version > STEPS.length) {
      throw new Error(
        `The lifecycle tables were written by a newer version of Signalbox (${version}, known ${STEPS.length}). Update Signalbox.`,
      )
    }
    for (const step of STEPS.slice(version)) database.exec(step)
    database.exec('delete from lifecycle_schema')
    database.exec(`insert into lifecycle_schema values (${STEPS.length})`)
  })
}

function isCurrent(database: Database): boolean {
  const table = database.prepare("select 1 from sqlite_master where name = 'lifecycle_schema'").get()
  if (!table) return false
  const row = database.prepare('select version from lifecycle_schema').get() as
    | { version: number }
    | undefined
  return row?.version === STEPS.length
}
