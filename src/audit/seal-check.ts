/** Compares the audit with its seal at the start. A mismatch is kept and recorded: a new seal must not hide it. */

import type { AuditEntry } from '../protocol/audit.js'
import { type Reason, reason, reasonText, saying } from '../protocol/reason/reason.js'
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
  const found = await findProblem(store, { path, head, isSealed })
  const problem = found === null ? null : reasonText([found])
  if (found !== null && problem !== null) {
    keepBroken(path, now, { at: now, problem, seal: readSealText(path), head })
    await store.addAudit(entryOf('audit.alarm', found, now))
  } else if (!isSealed && readSealText(path) === null && head.number > 0) {
    const entries = String(head.number)
    await store.addAudit(entryOf('audit.sealed', reason('audit.sealed', { entries }), now))
  }
  writeSeal(path, await store.auditHead())
  if (!isSealed || problem !== null) await store.setAuditSealed()
  return problem
}

function entryOf(kind: AuditEntry['kind'], why: Reason, at: string): AuditEntry {
  const verdict = kind === 'audit.alarm' ? 'alarm' : 'done'
  return auditEntry({ at, kind, by: 'daemon', subject: reasonText([why]), verdict, ...saying(why) })
}

async function findProblem(
  store: SealedAudit,
  { path, head, isSealed }: { path: string; head: AuditHead; isSealed: boolean },
): Promise<Reason | null> {
  const seal = readSeal(path)
  const entries = String(head.number)
  if (seal === null) return isSealed ? reason('audit.seal-missing', { entries }) : null
  if (seal === 'unreadable') return reason('audit.seal-unreadable')
  if (seal.number > head.number)
    return reason('audit.entries-missing', { entries, sealed: String(seal.number) })
  if (seal.number === 0) return null
  const [row] = await store.audit({ before: seal.number + 1, limit: 1 })
  return row?.number === seal.number && row.hash === seal.hash
    ? null
    : reason('audit.entry-replaced', { entry: String(seal.number) })
}
