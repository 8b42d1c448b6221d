/**
 * Rights as they are before a restore. A backup brings data back, not rights that were revoked since: what is not there any more stays
 * revoked, and what was given since is kept.
 */

import { existsSync } from 'node:fs'
import { asList, asRecord, asText } from '../lib/read-json.js'
import { openDatabase } from '../lib/sqlite/driver.js'
import { type RecordChange, RIGHT_KINDS } from '../store/port/record.js'
import type { Credential, Store, TrustedWorkspace } from '../store/port.js'

export interface PresentRights {
  credentials: readonly Credential[]
  trusted: ReadonlySet<string>
  /** Of each session, as JSON. */
  grants: ReadonlyMap<string, ReadonlySet<string>>
  /** Users, channels, devices and answer tokens. */
  records: readonly RecordChange[]
}

/** Null where there is no readable database: then it is unknown which credentials were revoked. */
export async function readPresentRights(path: string): Promise<PresentRights | null> {
  if (!existsSync(path)) return null
  try {
    const database = await openDatabase(path)
    try {
      const all = (sql: string) => database.prepare(sql).all() as Record<string, unknown>[]
      const credentials = all('SELECT * FROM credential').map(credentialIn)
      const sessions = all('SELECT id, snapshot FROM session WHERE snapshot LIKE \'%"grants":[{%\'')
      return {
        credentials,
        trusted: new Set(
          trustedIn(all).map(({ machine, path: folder }) => `${String(machine)} ${String(folder)}`),
        ),
        grants: new Map(sessions.map(({ id, snapshot }) => [String(id), grantsIn(String(snapshot))])),
        records: recordsIn(all),
      }
    } finally {
      database.close()
    }
  } catch {
    return null
  }
}

/** None in a database of an older version. */
function recordsIn(all: (sql: string) => Record<string, unknown>[]): RecordChange[] {
  if (all("SELECT name FROM sqlite_master WHERE name = 'record'").length === 0) return []
  return all('SELECT kind, id, body FROM record')
    .filter(({ kind }) => RIGHT_KINDS.some((known) => known === kind))
    .map(({ kind, id, body }) => ({
      kind: String(kind),
      id: String(id),
      body: JSON.parse(String(body)) as unknown,
    }))
}

/** By the names of the columns: the database may be one of an older version. */
function credentialIn(row: Record<string, unknown>): Credential {
  const text = (name: string) => asText(row[name])
  return {
    id: String(row['id']),
    name: String(row['name']),
    role: row['role'] as Credential['role'], // Cast: only a store writes it.
    kind: row['kind'] as Credential['kind'],
    digest: String(row['digest']),
    createdAt: String(row['created_at']),
    expiresAt: text('expires_at'),
    parentId: text('parent_id'),
    user: text('user_name'),
    device: text('device'),
    answersByMcp: row['answers_by_mcp'] === 1,
  }
}

function grantsIn(snapshot: string): Set<string> {
  return new Set(asList(asRecord(JSON.parse(snapshot))['grants']).map(keyOf))
}

/** A grant with a limit of time is another one than the same without. */
function keyOf(grant: unknown): string {
  const { tool, command, until } = asRecord(grant)
  return JSON.stringify([tool, command ?? null, until ?? null])
}

interface Restorer {
  who: string
  now: string
  newId(): string
}

export interface RestoredRights {
  /** Names of tokens and logins of the backup that are not valid any more. */
  droppedCredentials: string[]
  distrusted: string[]
  revokedGrants: number
}

/** Brings the rights in the store to what they were before the restore; without that, to none. */
export async function applyRights(
  store: Store,
  present: PresentRights | null,
  { who, now, newId }: Restorer,
): Promise<RestoredRights> {
  const restored = await allCredentials(store)
  const kept = new Map((present?.credentials ?? []).map((credential) => [credential.id, credential]))
  const dropped = restored.filter(({ id, digest }) => kept.get(id)?.digest !== digest)
  for (const { id } of restored) await store.removeCredential(id)
  for (const credential of kept.values()) await store.addCredential(credential)
  await replaceRecords(store, present?.records ?? [])
  const distrusted = (await store.trustedWorkspaces()).filter(
    ({ machine, path }) => !present?.trusted.has(`${machine} ${path}`),
  )
  for (const workspace of distrusted) await store.distrust(workspace)
  return {
    droppedCredentials: dropped.map(({ name, kind }) => (kind === 'token' ? name : `${name} (login)`)),
    distrusted: distrusted.map(({ path }: TrustedWorkspace) => path),
    revokedGrants: await revokeGrants(store, present, { who, now, newId }),
  }
}

async function replaceRecords(store: Store, records: readonly RecordChange[]): Promise<void> {
  const restored = await Promise.all(
    RIGHT_KINDS.map(async (kind) => (await store.records(kind)).map(({ id }) => ({ kind, id, body: null }))),
  )
  await store.saveRecords([...restored.flat(), ...records])
}

/** Schemas before 21 have folders of one machine only. */
function trustedIn(all: (sql: string) => Record<string, unknown>[]): Record<string, unknown>[] {
  const isOld = all("SELECT 1 FROM sqlite_master WHERE name = 'workspace'").length > 0
  return all(isOld ? "SELECT 'local' AS machine, path FROM workspace" : 'SELECT machine, path FROM trusted')
}

/** Expired ones too: a clock that goes wrong must not bring them back. */
function allCredentials(store: Store): Promise<Credential[]> {
  return store.credentials('')
}

async function revokeGrants(
  store: Store,
  present: PresentRights | null,
  { who, now, newId }: Restorer,
): Promise<number> {
  let count = 0
  for (let before: string | undefined; ; ) {
    const page = await store.sessions({ limit: 500, before })
    if (page.length === 0) return count
    before = page.at(-1)?.id
    for (const { id, grants } of page) {
      const known = present?.grants.get(id) ?? new Set()
      const gone = grants.filter((grant) => !known.has(keyOf(grant)))
      if (gone.length === 0) continue
      count += gone.length
      const drafts = gone.map(({ tool, command }) => ({
        type: 'grant.revoked' as const,
        id: newId(),
        at: now,
        data: { tool, ...(command !== undefined && { command }), by: { who, via: 'cli' as const } },
      }))
      await store.append([{ sessionId: id, drafts }])
    }
  }
}

export function describeRights({ droppedCredentials, distrusted, revokedGrants }: RestoredRights): string {
  const parts = [
    droppedCredentials.length > 0 && `tokens and logins not restored: ${droppedCredentials.join(', ')}`,
    distrusted.length > 0 && `folders not trusted again: ${distrusted.join(', ')}`,
    revokedGrants > 0 && `grants of sessions revoked: ${revokedGrants}`,
  ].filter((part) => asText(part) !== null)
  return parts.length === 0 ? '' : ` ${parts.join('; ')}.`
}
