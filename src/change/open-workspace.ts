/** A workspace that is recorded: its store, the states kept for its sessions, and the calls that run in it. */

import type { Clock } from '../lib/clock.js'
import type { IdSource } from '../lib/id.js'
import type { AttributedChange } from './attribution.js'
import { recordChange, type SessionRecord } from './change-record.js'
import type { IgnoredLimits } from './snapshot/ignored-files.js'
import { SessionRefs } from './snapshot/session-refs.js'
import { type ScanOptions, SnapshotStore, type SnapshotStoreOptions } from './snapshot/snapshot-store.js'
import { WorkspaceChanges } from './workspace-changes.js'

export interface OpenWorkspaceDeps {
  clock: Clock
  ids: IdSource
  scanOptions(): ScanOptions
  /** Appends the record to the log of its session. */
  append(record: SessionRecord): Promise<void>
  onFault(error: unknown): void
}

export interface OpenWorkspace {
  readonly store: SnapshotStore
  readonly refs: SessionRefs
  readonly changes: WorkspaceChanges
  readonly limits: IgnoredLimits
  onChange(change: AttributedChange): Promise<void>
}

export function openWorkspace(
  options: SnapshotStoreOptions & { ignored: IgnoredLimits },
  { clock, ids, scanOptions, append, onFault }: OpenWorkspaceDeps,
): OpenWorkspace {
  const store = new SnapshotStore(options)
  const refs = new SessionRefs(store, () => clock.now())
  const onChange = async (change: AttributedChange) => {
    for (const record of await recordChange(change, { store, refs, ids })) await append(record)
  }
  const changes = new WorkspaceChanges({ store, onChange, scanOptions, onFault, now: () => clock.now() })
  return { store, refs, changes, limits: options.ignored, onChange }
}
