/** The audit log, trusted folders and credentials. */

import { EMPTY, recordOf } from '../../audit/chain.js'
import { matchesAudit } from '../../protocol/audit-filter.js'
import { DEFAULT_LIMIT } from '../port/filter.js'
import type { Credential, Store, TrustedWorkspace } from '../port.js'
import { addAuditRow, type Content } from './content.js'

export function createAudit(
  content: Content,
): Pick<Store, 'addAudit' | 'audit' | 'auditHead' | 'isAuditSealed' | 'setAuditSealed'> {
  let isSealed = false
  return {
    addAudit: async (entry) => addAuditRow(content, entry),
    audit: async ({ before, after, limit, ...filter } = {}) =>
      content.audit
        .toReversed()
        .filter(({ number }) => (before === undefined || number < before) && number > (after ?? 0))
        .filter((row) => matchesAudit(recordOf(row), filter))
        .slice(0, limit ?? DEFAULT_LIMIT),
    auditHead: async () => {
      const { number, hash } = content.audit.at(-1) ?? EMPTY
      return { number, hash }
    },
    isAuditSealed: async () => isSealed,
    setAuditSealed: async () => {
      isSealed = true
    },
  }
}

export function createTrust(content: Content): Pick<Store, 'trust' | 'distrust' | 'trustedWorkspaces'> {
  const workspaces = new Map<string, TrustedWorkspace>()
  return {
    trust: async (workspace, audit) => {
      workspaces.set(keyOf(workspace), workspace)
      addAuditRow(content, audit)
    },
    distrust: async (workspace, audit) => {
      workspaces.delete(keyOf(workspace))
      addAuditRow(content, audit)
    },
    trustedWorkspaces: async (machine) =>
      [...workspaces.values()]
        .filter((workspace) => machine === undefined || workspace.machine === machine)
        .toSorted((one, other) => (one.path < other.path ? -1 : 1)),
  }
}

function keyOf({ machine, path }: Pick<TrustedWorkspace, 'machine' | 'path'>): string {
  return `${machine} ${path}`
}

export function createCredentials(
  content: Content,
): Pick<Store, 'addCredential' | 'credentials' | 'removeCredential' | 'pruneCredentials' | 'credential'> {
  const credentials = new Map<string, Credential>()
  return {
    addCredential: async (credential, audit) => {
      credentials.set(credential.id, credential)
      addAuditRow(content, audit)
    },
    credentials: async (now) =>
      [...credentials.values()].filter(({ expiresAt }) => expiresAt === null || expiresAt > now),
    removeCredential: async (id, audit) => {
      addAuditRow(content, audit)
      const gone = new Set([id])
      for (let size = 0; size < gone.size; ) {
        size = gone.size
        for (const { id: child, parentId } of credentials.values())
          if (parentId !== null && gone.has(parentId)) gone.add(child)
      }
      return [...gone].filter((one) => credentials.delete(one))
    },
    pruneCredentials: async (now) => {
      for (const { id, expiresAt } of credentials.values())
        if (expiresAt !== null && expiresAt <= now) credentials.delete(id)
    },
    credential: async (digest, now) =>
      [...credentials.values()].find(
        (credential) =>
          credential.digest === digest && (credential.expiresAt === null || credential.expiresAt > now),
      ) ?? null,
  }
}
