/** Records, kept as text so that no caller shares an object with the store. */

import { DEFAULT_LIMIT } from '../port/filter.js'
import type { RecordStore, StoredRecord } from '../port/record.js'
import { addAuditRow, type Content } from './content.js'

export function createRecords(content: Content): RecordStore {
  const kinds = new Map<string, Map<string, string>>()
  const ofKind = (kind: string) => {
    const known = kinds.get(kind) ?? new Map<string, string>()
    kinds.set(kind, known)
    return known
  }
  return {
    record: async (kind, id) => {
      const text = ofKind(kind).get(id)
      return text === undefined ? null : (JSON.parse(text) as unknown)
    },
    records: async (kind, filter) => {
      const all: StoredRecord[] = [...ofKind(kind)]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([id, text]) => ({ id, body: JSON.parse(text) as unknown }))
      if (!filter) return all
      const { before, limit = DEFAULT_LIMIT } = filter
      return all
        .filter(({ id }) => before === undefined || id < before)
        .toReversed()
        .slice(0, limit)
    },
    saveRecords: async (changes, { audit } = {}) => {
      // All or nothing: a body that cannot be serialised throws before anything is changed.
      const texts = changes.map((change) => ({ ...change, text: JSON.stringify(change.body) }))
      for (const { kind, id, body, text } of texts) {
        if (body === null) ofKind(kind).delete(id)
        else ofKind(kind).set(id, text)
      }
      addAuditRow(content, audit)
    },
  }
}
