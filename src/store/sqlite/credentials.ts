/** Tables of credentials and trusted folders. */

import { conditions } from '../../lib/sqlite/conditions.js'
import type { Statements } from '../../lib/sqlite/statements.js'
import type { AuditEntry } from '../../protocol/audit.js'
import type { Credential, TrustedWorkspace } from '../port.js'
import type { AuditTable } from './audit.js'

const CREDENTIAL =
  'id, name, role, kind, digest, created_at AS createdAt, expires_at AS expiresAt, parent_id AS parentId, user_name AS user, device, answers_by_mcp AS answersByMcp'

export class AccessTables {
  readonly #sql: Statements
  readonly #audit: AuditTable

  constructor(sql: Statements, audit: AuditTable) {
    this.#sql = sql
    this.#audit = audit
  }

  trust({ machine, path, trustedAt, trustedBy }: TrustedWorkspace, audit?: AuditEntry): void {
    this.#audit.with(audit, () =>
      this.#sql.run(
        'INSERT OR REPLACE INTO trusted VALUES (?, ?, ?, ?)',
        machine,
        path,
        trustedAt,
        trustedBy,
      ),
    )
  }

  distrust({ machine, path }: Pick<TrustedWorkspace, 'machine' | 'path'>, audit?: AuditEntry): void {
    this.#audit.with(audit, () =>
      this.#sql.run('DELETE FROM trusted WHERE machine = ? AND path = ?', machine, path),
    )
  }

  trustedWorkspaces(machine?: string): TrustedWorkspace[] {
    const { where, values } = conditions([['machine = ?', machine]])
    const rows = this.#sql.all<TrustedWorkspace>(
      `SELECT machine, path, trusted_at AS trustedAt, trusted_by AS trustedBy FROM trusted WHERE ${where} ORDER BY path, machine`,
      ...values,
    )
    return rows.map((row) => ({ ...row }))
  }

  addCredential(credential: Credential, audit?: AuditEntry): void {
    const { id, name, role, kind, digest, createdAt, expiresAt, parentId, user, device, answersByMcp } =
      credential
    this.#audit.with(audit, () =>
      this.#sql.run(
        'INSERT INTO credential VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        id,
        name,
        role,
        kind,
        digest,
        createdAt,
        expiresAt,
        parentId,
        user,
        device,
        answersByMcp ? 1 : 0,
      ),
    )
  }

  credentials(now: string): Credential[] {
    const rows = this.#sql.all<CredentialRow>(
      `SELECT ${CREDENTIAL} FROM credential WHERE expires_at IS NULL OR expires_at > ? ORDER BY id`,
      now,
    )
    return rows.map(credentialOf)
  }

  removeCredential(id: string, audit?: AuditEntry): string[] {
    const gone = this.#audit.with(audit, () =>
      this.#sql.all<{ id: string }>(
        `WITH RECURSIVE gone(id) AS (SELECT ?1 UNION SELECT c.id FROM credential c JOIN gone ON c.parent_id = gone.id)
         DELETE FROM credential WHERE id IN gone RETURNING id`,
        id,
      ),
    )
    return gone.map((row) => row.id)
  }

  pruneCredentials(now: string): void {
    this.#sql.run('DELETE FROM credential WHERE expires_at <= ?', now)
  }

  credential(digest: string, now: string): Credential | null {
    const row = this.#sql.get<CredentialRow>(
      `SELECT ${CREDENTIAL} FROM credential WHERE digest = ? AND (expires_at IS NULL OR expires_at > ?)`,
      digest,
      now,
    )
    return row ? credentialOf(row) : null
  }
}

type CredentialRow = Omit<Credential, 'answersByMcp'> & { answersByMcp: number }

function credentialOf(row: CredentialRow): Credential {
  return { ...row, answersByMcp: row.answersByMcp === 1 }
}
