/** Deleted sessions and trimmed events. */

import { expect, test } from 'vitest'
import {
  ids,
  messageQueued,
  notice,
  permissionRequested,
  permissionResolved,
  turnEnded,
  turnStarted,
} from '../../../test/support/build.js'
import { verifyAudit } from '../../audit/verify.js'
import { NO_OPTIONS } from '../../protocol/option/option-role.js'
import { AT, ENDED, GIVEN, type OpenedStore } from './opened-store-suite.js'

const TURN = ids.next('trn')
const USED = {
  modelUsage: {
    'model-a': {
      inputTokens: 3,
      outputTokens: 2,
      cacheReadInputTokens: 0,
      cacheCreationInputTokens: 0,
      costUsd: 0.5,
      contextWindow: null,
    },
  },
}

export function retentionSuite(opened: OpenedStore): void {
  const { append, aSession, group } = opened

  test('what is deleted is gone from every list, and nothing else is', async () => {
    const [one, other] = [await aSession(), await aSession()]
    await opened.store.append([
      group(one, [messageQueued('parser')], { scope: `messages:${one}`, key: 'k', value: 'm' }),
    ])
    await append(one, permissionRequested(ids.next('per')))
    await append(other, messageQueued('parser'))
    await opened.store.setOptions(one, GIVEN)
    await opened.store.addSecrets(one, ['of one', 'of both'], 'configured')
    await opened.store.addSecrets(one, ['of one'], 'file')
    await opened.store.addSecrets(other, ['of the other', 'of both', 'of both'], 'file')
    expect(await opened.store.secrets()).toEqual([
      { value: 'of both', source: 'configured' },
      { value: 'of one', source: 'configured' },
      { value: 'of the other', source: 'file' },
    ])
    const before = await opened.store.lastPosition()

    expect(await opened.store.deleteSession(one)).toBe(true)

    expect(await opened.store.deleteSession(one)).toBe(false)
    expect(await opened.store.session(one)).toBeNull()
    expect((await opened.store.sessions()).map(({ id }) => id)).toEqual([other])
    expect(await opened.store.readSession(one)).toEqual([])
    expect((await opened.store.readAll()).map(({ event }) => event.sessionId)).toEqual([other, other])
    expect((await opened.store.search({ text: 'parser' })).map(({ event }) => event.sessionId)).toEqual([
      other,
    ])
    expect(await opened.store.requests()).toEqual([])
    expect(await opened.store.options(one)).toEqual(NO_OPTIONS)
    expect(await opened.store.secrets()).toEqual([
      { value: 'of both', source: 'file' },
      { value: 'of the other', source: 'file' },
    ])
    expect(await opened.store.counts()).toEqual({ sessions: { idle: 1 }, pendingRequests: 0, events: before })
    await append(other, notice('later'))
    expect((await opened.store.readAll({ after: before })).map(({ event }) => event.type)).toEqual([
      'notice.raised',
    ])
  })

  test('what happened in sessions that ended long ago is forgotten; what they are, what they used and the audit stay', async () => {
    const [old, other, waiting] = [await aSession(), await aSession(), await aSession()]
    const request = ids.next('per')
    await append(old, permissionRequested(request), permissionResolved(request), notice('parser'))
    await append(old, turnStarted(TURN), turnEnded(TURN, USED), ENDED)
    await append(other, notice('still here'))
    const pending = ids.next('per')
    await append(waiting, permissionRequested(pending), ENDED)
    const before = {
      sessions: await opened.store.sessions(),
      usage: await opened.store.usage(),
      audit: await opened.store.audit(),
      position: await opened.store.lastPosition(),
    }
    const { length } = await opened.store.readSession(old)

    expect(await opened.store.trim(AT)).toBe(0)
    expect(await opened.store.trim('2026-11-15T12:00:00.001Z')).toBe(length)
    expect(await opened.store.trim('2026-11-15T12:00:00.001Z')).toBe(0)

    expect(await opened.store.readSession(old)).toEqual([])
    expect(await opened.store.search({ text: 'parser' })).toEqual([])
    expect((await opened.store.requests()).map(({ id }) => id)).toEqual([pending])
    expect(await opened.store.readSession(other)).toHaveLength(2)
    expect({
      sessions: await opened.store.sessions(),
      usage: await opened.store.usage(),
      audit: await opened.store.audit(),
      position: await opened.store.lastPosition(),
    }).toEqual(before)
    const chain = (await opened.store.audit()).toReversed()
    expect(
      verifyAudit(chain, { head: await opened.store.auditHead(), sealed: await opened.store.auditHead() }),
    ).toMatchObject({
      isIntact: true,
    })
  })

  test('a reader behind the trimmed events gets the position to continue from', async () => {
    const [old, other] = [await aSession(), await aSession()]
    await append(old, notice('a'), ENDED)
    const { length } = await opened.store.readSession(old)
    const [first] = await opened.store.readSession(other)
    const next = first?.position ?? 0
    expect([await opened.store.gapBehind(old, 0), await opened.store.gapBehind(undefined, 0)]).toEqual([
      null,
      null,
    ])

    await opened.store.trim('2099-01-01T00:00:00.000Z')

    expect(await opened.store.gapBehind(old, 0)).toEqual({ after: 0, next: length + 1 })
    expect(await opened.store.gapBehind(old, length)).toBeNull()
    expect(await opened.store.gapBehind(other, 0)).toBeNull()
    expect(await opened.store.gapBehind(undefined, 0)).toEqual({ after: 0, next })
    const last = await opened.store.lastPosition()
    expect(await opened.store.gapBehind(undefined, last)).toBeNull()
    expect(await opened.store.gapBehind(undefined, last - 1)).toEqual({ after: last - 1, next: last + 1 })
    await append(old, notice('again'))
    expect((await opened.store.readSession(old)).map(({ event }) => event.seq)).toEqual([length + 1])
  })
}
