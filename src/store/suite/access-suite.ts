/** Audit, trusted folders and credentials. */

import { describe, expect, test } from 'vitest'
import { ids, permissionRequested, permissionResolved } from '../../../test/support/build.js'
import { recordOf } from '../../audit/chain.js'
import { auditEntry } from '../../audit/entry.js'
import { verifyAudit } from '../../audit/verify.js'
import type { AuditRowFilter } from '../port/filter.js'
import { AT, type OpenedStore } from './opened-store-suite.js'

export function accessSuite(opened: OpenedStore): void {
  const { append, aSession, group } = opened

  describe('the audit', () => {
    const rows = async () => (await opened.store.audit()).map((row) => recordOf(row)).toReversed()

    test('is written in the same step as what it tells of, and only if that is stored', async () => {
      const sessionId = await aSession()
      const requestId = ids.next('per')
      await opened.store.append([
        group(sessionId, [permissionRequested(requestId), permissionResolved(requestId)]),
        group(sessionId, [permissionResolved(requestId)]),
        group(ids.next('ses'), [permissionResolved(requestId)]),
      ])

      expect(await rows()).toMatchObject([{ number: 1, kind: 'request.resolved', requestId, sessionId }])
      expect(await opened.store.auditHead()).toEqual({ number: 1, hash: (await rows())[0]?.hash })
    })

    test('is one chain over everything that writes to it', async () => {
      const told = (subject: string) =>
        auditEntry({ at: AT, kind: 'policy.changed', by: 'person', subject, verdict: 'done' })
      const sessionId = await aSession()
      const requestId = ids.next('per')
      await opened.store.addAudit(told('a'))
      await opened.store.trust({ machine: 'local', path: '/srv', trustedAt: AT, trustedBy: 'kim' }, told('b'))
      await append(sessionId, permissionRequested(requestId), permissionResolved(requestId))
      await opened.store.distrust({ machine: 'local', path: '/srv' }, told('c'))
      await opened.store.removeCredential('crd_none', told('d'))

      expect((await rows()).map(({ number, subject }) => `${number} ${subject}`)).toEqual([
        '1 a',
        '2 b',
        '3 Write a.txt',
        '4 c',
        '5 d',
      ])
      const stored = (await opened.store.audit()).toReversed()
      expect(
        verifyAudit(stored, { head: await opened.store.auditHead(), sealed: await opened.store.auditHead() }),
      ).toMatchObject({
        isIntact: true,
      })
    })
  })

  test('the audit is filtered, whatever its texts contain', async () => {
    const sessionId = await aSession()
    const TRICKY = `"by":"person" 'x' \\ "verdict":"deny" % _`
    const common = {
      by: 'policy',
      subject: 'Bash: ls',
      verdict: 'allow',
      kind: 'call.judged',
      at: AT,
    } as const
    const later = '2026-11-15T13:00:00.000Z'
    const entries = [
      auditEntry({ ...common, rule: 'a' }),
      auditEntry({
        ...common,
        rule: 'b',
        by: 'person',
        who: 'kim',
        kind: 'request.resolved',
        toolUseId: 't',
      }),
      auditEntry({ ...common, rule: 'c', subject: TRICKY, reason: TRICKY, who: TRICKY }),
      auditEntry({ ...common, rule: 'd', verdict: 'deny', sessionId, at: later }),
      auditEntry({
        ...common,
        rule: 'e',
        kind: 'policy.changed',
        by: 'person',
        who: 'Ümit',
        subject: 'Bash',
      }),
      auditEntry({ ...common, rule: 'f', subject: 'Bash', kind: 'grant.revoked' }),
    ]
    for (const entry of entries) await opened.store.addAudit(entry)
    const found = async (filter: AuditRowFilter) =>
      (await opened.store.audit(filter))
        .map((row) => recordOf(row).rule)
        .toReversed()
        .join('')

    expect(await found({})).toBe('abcdef')
    expect(await found({ by: 'person' })).toBe('be')
    expect(await found({ by: 'policy', verdict: 'deny' })).toBe('d')
    expect(await found({ who: TRICKY })).toBe('c')
    expect(await found({ who: 'KIM' })).toBe('b')
    expect(await found({ kind: ['policy.changed', 'request.resolved'] })).toBe('be')
    expect(await found({ sessionId })).toBe('d')
    expect(await found({ tool: 'bash' })).toBe('abdf')
    expect(await found({ q: 'ÜMIT' })).toBe('e')
    expect(await found({ q: '% _' })).toBe('c')
    expect(await found({ since: '2026-11-15T13:00:00Z' })).toBe('d')
    expect(await found({ until: later })).toBe('abcef')
    expect(await found({ before: 5, after: 1, limit: 2 })).toBe('cd')
    expect(await found({ by: 'policy', limit: 2 })).toBe('df')
  })

  test('trust is given to a folder and revoked', async () => {
    const workspace = { machine: 'local', path: '/srv/app', trustedAt: AT, trustedBy: 'kim' }
    await opened.store.trust(workspace)
    await opened.store.trust(workspace)
    expect(await opened.store.trustedWorkspaces()).toEqual([workspace])
    await opened.store.distrust(workspace)
    expect(await opened.store.trustedWorkspaces()).toEqual([])
  })

  test('trust in a folder is trust in the folder of one machine', async () => {
    const here = { machine: 'local', path: '/srv/app', trustedAt: AT, trustedBy: 'kim' }
    const there = { ...here, machine: 'laptop' }
    await opened.store.trust(here)
    await opened.store.trust(there)
    expect(await opened.store.trustedWorkspaces()).toEqual(expect.arrayContaining([here, there]))
    expect(await opened.store.trustedWorkspaces('laptop')).toEqual([there])
    await opened.store.distrust(here)
    expect(await opened.store.trustedWorkspaces()).toEqual([there])
  })

  test('a credential is found by its digest until it expires or is removed', async () => {
    const credential = {
      id: 'crd_1',
      name: 'laptop',
      role: 'admin',
      kind: 'browser',
      digest: 'd1',
      createdAt: AT,
      expiresAt: '2026-11-16T12:00:00.000Z',
      parentId: null,
      user: 'kim',
      device: 'Chrome on Android',
      answersByMcp: false,
    } as const
    await opened.store.addCredential(credential)

    expect(await opened.store.credential('d1', AT)).toEqual(credential)
    expect(await opened.store.credential('d2', AT)).toBeNull()
    expect(await opened.store.credential('d1', '2026-11-16T12:00:00.000Z')).toBeNull()
    await opened.store.pruneCredentials(AT)
    expect(await opened.store.credential('d1', AT)).toEqual(credential)
    await opened.store.pruneCredentials('2026-11-16T12:00:00.000Z')
    expect(await opened.store.credential('d1', AT)).toBeNull()
    await opened.store.addCredential(credential)
    await opened.store.removeCredential('crd_1')
    expect(await opened.store.credential('d1', AT)).toBeNull()
  })

  test('credentials are listed until they expire, and go together with what was made with them', async () => {
    const token = {
      id: 'crd_1',
      name: 'bot',
      role: 'operator',
      kind: 'token',
      digest: 'd1',
      createdAt: AT,
      expiresAt: null,
      parentId: null,
      user: null,
      device: null,
      answersByMcp: true,
    } as const
    const login = { ...token, id: 'crd_2', kind: 'browser', digest: 'd2', parentId: 'crd_1' } as const
    const other = { ...token, id: 'crd_3', digest: 'd3', expiresAt: '2026-11-16T12:00:00.000Z' } as const
    for (const credential of [token, login, other]) await opened.store.addCredential(credential)

    expect(await opened.store.credentials(AT)).toEqual([token, login, other])
    expect(await opened.store.credentials('2026-11-16T12:00:00.000Z')).toEqual([token, login])
    expect((await opened.store.removeCredential('crd_1')).toSorted()).toEqual(['crd_1', 'crd_2'])
    expect(await opened.store.removeCredential('crd_1')).toEqual([])
    expect(await opened.store.credentials(AT)).toEqual([other])
  })
}
