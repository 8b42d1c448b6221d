/** Requests: answered once, and listed. */

import { expect, test } from 'vitest'
import { ids, permissionRequested, permissionResolved } from '../../../test/support/build.js'
import type { Store } from '../port.js'
import { AT, type OpenedStore } from './opened-store-suite.js'

export function requestSuite(opened: OpenedStore): void {
  const { append, aSession, group } = opened

  test('a request is resolved exactly once', async () => {
    const id = await aSession()
    const requestId = ids.next('per')
    await append(id, permissionRequested(requestId))
    expect(await opened.store.requests({ state: 'pending' })).toMatchObject([
      { id: requestId, sessionId: id, resolution: null },
    ])

    const [first, second] = await Promise.all([
      append(id, permissionResolved(requestId, { decision: 'allow', who: 'first' })),
      append(id, permissionResolved(requestId, { decision: 'deny', who: 'second' })),
    ])

    expect(first.kind).toBe('stored')
    expect(second).toEqual({ kind: 'refused', why: { kind: 'request_not_pending', requestId } })
    expect(await opened.store.request(requestId)).toMatchObject({
      state: 'resolved',
      resolution: { decision: 'allow', by: 'person', who: 'first', at: AT },
    })
    expect(await opened.store.requests({ state: 'pending' })).toEqual([])
  })

  test('two answers in one step: the first wins', async () => {
    const id = await aSession()
    const requestId = ids.next('per')
    await append(id, permissionRequested(requestId))

    const results = await opened.store.append([
      group(id, [permissionResolved(requestId, { who: 'first' })]),
      group(id, [permissionResolved(requestId, { who: 'second' })]),
    ])

    expect(results.map((result) => result.kind)).toEqual(['stored', 'refused'])
    expect((await opened.store.request(requestId))?.resolution?.who).toBe('first')
  })

  test('requests are listed oldest first, by state and session, in pages', async () => {
    const one = await aSession()
    const two = await aSession()
    const requests = [ids.next('per'), ids.next('per'), ids.next('per')] as const
    await append(one, permissionRequested(requests[0]))
    await append(two, permissionRequested(requests[1]))
    await append(one, permissionRequested(requests[2]))
    await append(one, permissionResolved(requests[0]))

    const listed = async (filter: Parameters<Store['requests']>[0]) =>
      (await opened.store.requests(filter)).map((request) => request.id)

    expect(await listed({})).toEqual(requests)
    expect(await listed({ state: 'pending' })).toEqual(requests.slice(1))
    expect(await listed({ sessionId: one, state: 'resolved' })).toEqual([requests[0]])
    expect(await listed({ after: requests[0], limit: 1 })).toEqual([requests[1]])
    expect(await listed({ toolUseId: 'toolu_1' })).toEqual(requests)
    expect(await listed({ toolUseId: 'toolu_1', state: 'resolved' })).toEqual([requests[0]])
    expect(await listed({ toolUseId: 'toolu_9' })).toEqual([])
  })

  test('requests whose ids do not follow time, as those of terminals, are in the pages once each', async () => {
    const id = await aSession()
    const requests = [ids.next('per'), ids.next('per'), ids.next('per')]
    for (const requestId of requests.toReversed()) await append(id, permissionRequested(requestId))

    const first = await opened.store.requests({ limit: 2 })
    const second = await opened.store.requests({ limit: 2, after: first.at(-1)?.id ?? '' })

    expect([...first, ...second].map((request) => request.id)).toEqual(requests)
  })
}
