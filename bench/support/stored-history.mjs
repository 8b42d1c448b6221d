/**
 * A home with a long history in it. A few sessions are made by the store itself, from the events of real lives; all others
 * are copies of them under other names, at other times, put into the same tables in bulk.
 */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createIdSource } from '../../dist/lib/id.js'
import { inTransaction, openDatabase } from '../../dist/lib/sqlite/driver.js'
import { splitWords } from '../../dist/lib/text/search-text.js'
import { textIn } from '../../dist/protocol/event/event-text.js'
import { openSqliteStore } from '../../dist/store/sqlite/store.js'
import { sessionCreated } from './sample-event.mjs'

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS
const TURN_MS = 600_000
/** As many sessions live at the same time. */
const ALIVE = 50
const PROJECTS = 60
/** One session in this many waits for the user. */
const WAITS = 40
const COMMON = 'parser'
const RARE = 'xylophone'
const WORDS =
  `the a test fails because of ${COMMON} reads line too early and file is closed before last chunk comes so we keep
  rest for next time then every session ends with its own result which can be seen in log`.split(/\s+/)

export const words = { common: COMMON, rare: RARE }

/** Fills `home` with `events` events of `sessions` sessions. Resolves with the id of one of them that is long over. */
export async function fillHome(home, { events, sessions, until = Date.now() }) {
  mkdirSync(home, { recursive: true })
  const path = join(home, 'signalbox.db')
  const each = Math.max(20, Math.round(events / sessions))
  await makeModels(path, each, until - YEAR_MS - 24 * HOUR_MS)
  const database = await openDatabase(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -256000')
  try {
    return inTransaction(database, () => copyModels(database, { each, sessions, until }))
  } finally {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    database.close()
  }
}

const KINDS = [
  { kind: 'managed', end: 'ended' },
  { kind: 'managed', end: 'idle' },
  { kind: 'observed', end: 'ended' },
  { kind: 'observed', end: 'asking' },
]

/** One session of each kind, through the store. */
async function makeModels(path, each, start) {
  const ids = createIdSource()
  const store = await openSqliteStore({ path, newId: () => ids.next('evt') })
  for (const { kind, end } of KINDS) {
    const sessionId = ids.next('ses')
    let at = start
    const append = async (...drafts) => {
      at += 1_000
      const stamped = drafts.map((draft) => ({
        ...draft,
        id: ids.next('evt'),
        at: new Date(at).toISOString(),
      }))
      const [result] = await store.append([{ sessionId, drafts: stamped }])
      if (result.kind !== 'stored') throw new Error(`not stored: ${result.why.kind}`)
      return result.session.lastSeq
    }
    const created = sessionCreated()
    let last = await append({ ...created, data: { ...created.data, kind, title: sentence(4) } })
    // Leaves room for the events of one turn and of the end.
    while (last < each - 14) {
      last = await aTurn(append, ids, each - 14 - last)
      at = start + Math.ceil((at - start) / TURN_MS) * TURN_MS
    }
    if (end === 'asking') last = await append(requested(ids.next('per')))
    if (end === 'ended')
      last = await append({ type: 'session.ended', data: { outcome: 'completed', reason: 'Done.' } })
    while (last < each) last = await append(text())
  }
  await store.search({ text: COMMON })
  await store.close()
}

/** A message, some calls and texts, one of them asked for, and the end with what it used. */
async function aTurn(append, ids, room) {
  const [messageId, turnId, requestId] = [ids.next('msg'), ids.next('trn'), ids.next('per')]
  await append({
    type: 'message.queued',
    data: { messageId, text: sentence(25), whenBusy: 'inject', from: { who: 'kim', via: 'api' } },
  })
  await append(
    { type: 'message.delivered', data: { messageId } },
    { type: 'turn.started', data: { turnId, messageIds: [messageId], origin: { kind: 'person' } } },
  )
  await append(requested(requestId))
  await append({
    type: 'permission.resolved',
    data: {
      requestId,
      by: 'person',
      who: 'kim',
      via: 'dashboard',
      reason: null,
      decision: 'allow',
      rule: null,
    },
  })
  for (let index = 0; index < Math.min(5, room / 4); index += 1) {
    const toolUseId = `toolu_${crypto.randomUUID()}`
    const input = { file_path: `/home/dev/project/src/${sentence(1)}.ts` }
    await append({ type: 'tool.requested', data: { toolUseId, name: 'Read', input } })
    await append({
      type: 'tool.ended',
      data: { toolUseId, name: 'Read', outcome: 'completed', result: sentence(60), durationMs: 12 },
    })
    await append(text())
  }
  const used = {
    inputTokens: 900,
    outputTokens: 300,
    cacheReadInputTokens: 20_000,
    cacheCreationInputTokens: 800,
  }
  const model = { ...used, costUsd: 0.02, contextWindow: 200_000 }
  return append({
    type: 'turn.ended',
    data: {
      turnId,
      outcome: 'completed',
      stopReason: 'finished',
      durationMs: 30_000,
      turns: 3,
      usage: used,
      modelUsage: { 'claude-large': model, 'claude-small': model },
      costUsd: 0.04,
      text: sentence(20),
      errors: [],
    },
  })
}

function requested(requestId) {
  return {
    type: 'permission.requested',
    data: {
      requestId,
      toolUseId: `toolu_${crypto.randomUUID()}`,
      toolName: 'Write',
      input: { file_path: '/home/dev/project/notes.md', content: sentence(40) },
      inputDigest: 'a'.repeat(64),
      title: 'Write notes.md',
      reason: 'No rule says that it may.',
      suggestions: [],
    },
  }
}

function text() {
  return { type: 'text.ended', data: { messageId: 'msg_1', index: 0, text: sentence(25) } }
}

function sentence(count) {
  return Array.from({ length: count }, () => WORDS[Math.floor(Math.random() * WORDS.length)]).join(' ')
}

function copyModels(database, { each, sessions, until }) {
  const all = (sql, ...values) => database.prepare(sql).all(...values)
  const models = all('SELECT key, id, snapshot FROM session ORDER BY key')
  prepareTexts(database, models)
  const insertSession = database.prepare(
    `INSERT INTO session (key, id, kind, state, cwd, search, is_active, claude_session_id, snapshot)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertRequest = database.prepare(
    'INSERT INTO request (id, session_id, state, body) VALUES (?, ?, ?, ?)',
  )
  const copyUsage = copier(database, 'usage', ['hour'])
  database.exec('CREATE TEMP TABLE alive (key INTEGER PRIMARY KEY, model INTEGER, shift INTEGER)')
  const insertAlive = database.prepare('INSERT INTO temp.alive VALUES (?, ?, ?)')
  // The texts of a word that is nearly never said are put into one event in some sessions.
  const copyEvents = database.prepare(
    `INSERT INTO event (session, seq, id, at, type, data)
     SELECT alive.key, model.seq, printf('evt_%026x', alive.key * 100000 + model.seq), model.at + alive.shift, model.type,
       CASE WHEN alive.key % 70 = 0 AND model.is_last THEN replace(model.data, '"text":"', '"text":"${RARE} ') ELSE model.data END
     FROM temp.model CROSS JOIN temp.alive ON alive.model = model.session`,
  )
  const copyTexts = database.prepare(
    `INSERT INTO event_text (rowid, text)
     SELECT event.position, CASE WHEN alive.key % 70 = 0 AND model.is_last THEN '${RARE} ' ELSE '' END || model.text
     FROM event JOIN temp.alive ON alive.key = event.session
       JOIN temp.model ON model.session = alive.model AND model.seq = event.seq
     WHERE event.position > ? AND model.text IS NOT NULL`,
  )
  const first = Math.floor((until - YEAR_MS) / HOUR_MS)
  const [{ hour: modelHour }] = all('SELECT min(at) / 3600000 AS hour FROM event')
  const ids = createIdSource()
  let position = Number(all('SELECT max(position) AS position FROM event')[0].position)
  let picked = null

  for (let done = 0; done < sessions; done += ALIVE) {
    database.exec('DELETE FROM temp.alive')
    for (let index = done; index < Math.min(sessions, done + ALIVE); index += 1) {
      const key = models.length + 1 + index
      const model = models[index % WAITS === 0 ? 3 : index % 3]
      // Sessions begin at full hours, so that their usage moves by full hours too.
      const hours = first + Math.floor((index / sessions) * (YEAR_MS / HOUR_MS)) - Number(modelHour)
      const session = renamed(JSON.parse(model.snapshot), {
        id: ids.next('ses'),
        index,
        shift: hours * HOUR_MS,
      })
      if (index === Math.floor(sessions / 2)) picked = session
      const search = [session.title, session.cwd, session.lastPrompt].join('\n').toLowerCase()
      insertSession.run(
        key,
        session.id,
        session.kind,
        session.state,
        session.cwd,
        search,
        Number(session.pendingRequests.length > 0),
        session.claudeSessionId,
        JSON.stringify(session),
      )
      copyRequests(insertRequest, ids, model, session)
      copyUsage(Number(model.key), key, hours)
      insertAlive.run(key, Number(model.key), hours * HOUR_MS)
    }
    copyEvents.run()
    copyTexts.run(position)
    position = Number(all('SELECT max(position) AS position FROM event')[0].position)
  }
  database.prepare('UPDATE indexed SET position = ?').run(position)
  return { sessionId: picked.id, cwd: picked.cwd, position, each }

  function copyRequests(insert, source, model, session) {
    model.requests ??= all('SELECT body FROM request WHERE session_id = ? ORDER BY id', model.id)
    for (const { body } of model.requests) {
      const request = JSON.parse(body)
      const id = request.state === 'pending' ? session.pendingRequests[0] : source.next('per')
      insert.run(id, session.id, request.state, JSON.stringify({ ...request, id, sessionId: session.id }))
    }
  }
}

/** The models' events with what is found in them. */
function prepareTexts(database) {
  database.exec(
    'CREATE TEMP TABLE model (session INTEGER, seq INTEGER, at INTEGER, type TEXT, data TEXT, text TEXT, is_last INTEGER, PRIMARY KEY (session, seq))',
  )
  const insert = database.prepare('INSERT INTO temp.model VALUES (?, ?, ?, ?, ?, ?, ?)')
  const rows = database
    .prepare('SELECT session, seq, at, type, data FROM event ORDER BY session, seq DESC')
    .all()
  const seen = new Set()
  for (const { session, seq, at, type, data } of rows) {
    const said = textIn({ type, data: JSON.parse(data) })
    const isLast = type === 'text.ended' && !seen.has(session)
    if (isLast) seen.add(session)
    insert.run(session, seq, at, type, data, said ? splitWords(said) : null, Number(isLast))
  }
}

/** Copies the rows of a table from one session to another, with a time moved. */
function copier(database, table, [moved]) {
  const columns = database
    .prepare(`SELECT name FROM pragma_table_info('${table}')`)
    .all()
    .map(({ name }) => name)
  const values = columns.map((name) => (name === 'session' ? '?2' : name === moved ? `${name} + ?3` : name))
  const copy = database.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${table} WHERE session = ?1`,
  )
  return (from, to, by) => copy.run(from, to, by)
}

function renamed(session, { id, index, shift }) {
  const move = (time) => time && new Date(Date.parse(time) + shift).toISOString()
  const conversation = { ...session.conversation, id: crypto.randomUUID() }
  return {
    ...session,
    id,
    title: `${session.title} ${index}`,
    cwd: `/home/dev/project-${(index * 7) % PROJECTS}`,
    claudeSessionId: conversation.id,
    conversation,
    pendingRequests: session.pendingRequests.map(() => `per_${id.slice(4)}`),
    lastPrompt: `${session.lastPrompt} ${index}`,
    createdAt: move(session.createdAt),
    updatedAt: move(session.updatedAt),
    endedAt: move(session.endedAt),
  }
}
