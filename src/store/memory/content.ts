/** The content of a memory store that several of its parts share. */

import { type AuditRow, EMPTY, nextRow } from '../../audit/chain.js'
import type { AuditEntry } from '../../protocol/audit.js'
import type { StoredOptions } from '../../protocol/option/option-role.js'
import type { InboxRequest } from '../../protocol/request.js'
import type { Session } from '../../protocol/session.js'
import type { UsageSum } from '../../protocol/usage/usage.js'
import type { ResumePoint, StoredEvent } from '../port/append.js'
import type { KnownConversation, StoredSecret } from '../port.js'

export interface Content {
  /** All events ever stored. */
  readonly log: StoredEvent[]
  /** Events of the log that were deleted or trimmed. */
  readonly deleted: Set<StoredEvent>
  readonly bySession: Map<string, StoredEvent[]>
  readonly sessions: Map<string, Session>
  readonly requests: Map<string, InboxRequest>
  /** Idempotency keys, by scope and key as JSON. */
  readonly keys: Map<string, { value: string; digest: string }>
  /** Runners in processes of their own. */
  readonly machines: Map<string, { spool: string; epoch: number; lastN: number }>
  /** By session. */
  readonly points: Map<string, ResumePoint>
  readonly options: Map<string, StoredOptions>
  /** By session, then by value. */
  readonly secrets: Map<string, Map<string, StoredSecret['source']>>
  readonly audit: AuditRow[]
  /** Of deleted sessions: what was spent stays spent. */
  readonly deletedUsage: UsageSum[]
  readonly deletedConversations: KnownConversation[]
  /** Position of the newest trimmed event. */
  trimmed: number
}

export function emptyContent(): Content {
  return {
    log: [],
    deleted: new Set(),
    bySession: new Map(),
    sessions: new Map(),
    requests: new Map(),
    keys: new Map(),
    machines: new Map(),
    points: new Map(),
    options: new Map(),
    secrets: new Map(),
    audit: [],
    deletedUsage: [],
    deletedConversations: [],
    trimmed: 0,
  }
}

export function addAuditRow({ audit }: Content, entry: AuditEntry | undefined): void {
  if (entry) audit.push(nextRow(audit.at(-1) ?? EMPTY, entry))
}

/** Ends with the item that reaches `maxBytes`. */
export function upTo<Item>(
  maxBytes: number | undefined,
  items: Item[],
  contentOf: (item: Item) => unknown,
): Item[] {
  if (maxBytes === undefined) return items
  let bytes = 0
  const last = items.findIndex((item) => {
    bytes += JSON.stringify(contentOf(item)).length
    return bytes >= maxBytes
  })
  return last < 0 ? items : items.slice(0, last + 1)
}
