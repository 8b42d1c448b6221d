/** Records: small documents of the daemon's parts, by kind and id. */

import type { AuditEntry } from '../../protocol/audit.js'

/** Kinds of records that give rights, or belong to them. A restored backup does not bring them back. */
export const RIGHT_KINDS = ['user', 'channel', 'device', 'answer-token', 'push-key'] as const

export interface StoredRecord {
  readonly id: string
  /** A JSON value that its owner validated before it was saved. */
  readonly body: unknown
}

/** `body: null` deletes the record. */
export interface RecordChange extends StoredRecord {
  readonly kind: string
}

export interface RecordFilter {
  /** Cursor: only ids before this one, newest first. */
  before?: string | undefined
  limit?: number
}

export interface SaveOptions {
  audit?: AuditEntry | undefined
  /** For background work: waits until the store can write. Otherwise rejects after the timeout for clients. */
  isPatient?: boolean
  /** It is not fsynced: it outlives the process, but a power cut may take it. */
  isQuick?: boolean
}

export interface RecordStore {
  /** Null if there is none. */
  record(kind: string, id: string): Promise<unknown>
  /** By id: all of them in ascending order or, with a filter, newest first. A damaged record is left out. */
  records(kind: string, filter?: RecordFilter): Promise<StoredRecord[]>
  /** All or nothing, in one transaction that is fsynced before it resolves, unless `isQuick`. */
  saveRecords(changes: readonly RecordChange[], options?: SaveOptions): Promise<void>
}
