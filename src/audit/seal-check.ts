/** Compares the audit with its seal at the start. A mismatch is kept and recorded: a new seal must not hide it. */

import type { AuditEntry } from '../protocol/audit.js'
import type { AuditHead, AuditRow } from './chain.js'
import { auditEntry } from './entry.js'
import { keepBroken, readSeal, readSealText, writeSeal } from './seal.js'

interface SealedAudit {
  auditHead(): Promise<AuditHead>
  audit(filter: { before: number; limit: number }): Promise<AuditRow[]>
  addAudit(entry: AuditEntry): Promise<void>
  isAuditSealed(): Promise<boolean>
  setAuditSealed(): Promise<void>
}

/** Returns what is wrong, if anything is. Afterwards there is a seal that fits. */
export async function checkSeal(store: SealedAudit, path: string, now: string): Promise<string | null> {
  const head = await store.auditHead()
  const isSealed = await store.isAuditSealed()
  const problem = await findProblem(store, { path, head, isSealed })
  if (problem !== null) {
    keepBroken(path, now, { at: now, problem, seal: readSealText(path), head })
    await store.addAudit(entryOf('audit.alarm', problem, now))
  } else if (!isSealed && readSealText(path) === null && head.number > 0) {
    const text = `${head.number} entries of a version without a seal are sealed from now on.`
    await store.addAudit(entryOf('audit.sealed', text, now))
  }
  writeSeal(path, await store.auditHead())
  if (!isSealed || problem !== null) await store.setAuditSealed()
  return problem
}

function entryOf(kind: AuditEntry['kind'], subject: string, at: string): AuditEntry {
  return auditEntry({ at, kind, by: 'daemon', subject, verdict: kind === 'audit.alarm' ? 'alarm' : 'done' })
}

async function findProblem(
  store: SealedAudit,
  { path, head, isSealed }: { path: string; head: AuditHead; isSealed: boolean },
): Promise<string | null> {
  const seal = readSeal(path)
  if (seal === null)
    return isSealed ? `The seal of the audit is missing. The audit has ${head.number} entries.` : null
  if (seal === 'unreadable') return 'The seal of the audit cannot be read.'
  if (seal.number > head.number)
    return `The audit has ${head.number} entries, but its seal was made for ${seal.number}: entries at the end are missing.`
  if (seal.number === 0) return null
  const [row] = await store.audit({ before: seal.number + 1, limit: 1 })
  return row?.number === seal.number && row.hash === seal.hash
    ? null
    : `Entry ${seal.number} of the audit is not the one that was sealed.`
}
