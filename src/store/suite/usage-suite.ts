/** Usage: sums of what sessions used. */

import { expect, test } from 'vitest'
import { ids, turnEnded, turnStarted } from '../../../test/support/build.js'
import { NO_USAGE } from '../../protocol/usage/usage-sum.js'
import { AT, type OpenedStore } from './opened-store-suite.js'

export function usageSuite(opened: OpenedStore): void {
  const { append, aSession } = opened

  test('usage is summed by hour, session and model, whatever the number of turns', async () => {
    const [one, other] = [await aSession(), await aSession()]
    const used = (inputTokens: number, costUsd: number) => ({
      inputTokens,
      outputTokens: 1,
      cacheReadInputTokens: 2,
      cacheCreationInputTokens: 3,
      costUsd,
      contextWindow: null,
    })
    for (const [sessionId, modelUsage] of [
      [one, { opus: used(10, 0.5), haiku: used(1, 0.01) }],
      [one, { opus: used(20, 0.25) }],
      [other, { opus: used(5, 0.125) }],
    ] as const) {
      const turnId = ids.next('trn')
      await append(sessionId, turnStarted(turnId))
      await append(sessionId, turnEnded(turnId, { modelUsage }))
    }

    const rows = (await opened.store.usage()).map((sum) => [
      sum.sessionId,
      sum.model,
      sum.inputTokens,
      sum.costUsd,
    ])
    expect(new Set(rows)).toEqual(
      new Set([
        [one, 'haiku', 1, 0.01],
        [one, 'opus', 30, 0.75],
        [other, 'opus', 5, 0.125],
      ]),
    )
    expect(await opened.store.usage()).toContainEqual({
      hour: Date.parse(AT) / 3_600_000,
      sessionId: one,
      cwd: '/home/dev/project',
      model: 'opus',
      source: 'sdk',
      isPriced: true,
      inputTokens: 30,
      outputTokens: 2,
      cacheReadInputTokens: 4,
      cacheCreationInputTokens: 6,
      costUsd: 0.75,
    })
    expect(await opened.store.usage('2026-11-15T13:00:00.000Z')).toEqual([])
  })

  test('what is used after it was asked for is counted, and goes with its session', async () => {
    const [one, other] = [await aSession(), await aSession()]
    const use = async (sessionId: string, costUsd: number) => {
      const turnId = ids.next('trn')
      const figures = {
        inputTokens: 1,
        outputTokens: 1,
        cacheReadInputTokens: 0,
        cacheCreationInputTokens: 0,
      }
      const modelUsage = { opus: { ...figures, costUsd, contextWindow: null } }
      await append(sessionId, turnStarted(turnId))
      await append(sessionId, turnEnded(turnId, { modelUsage }))
    }
    const costs = async () =>
      (await opened.store.usage())
        .map((sum): [string, number, number] => [sum.sessionId, sum.costUsd, sum.inputTokens])
        .toSorted(([first], [second]) => (first < second ? -1 : 1))
    await use(one, 1)
    expect(await costs()).toEqual([[one, 1, 1]])

    const late = await aSession()
    await use(one, 2)
    await use(other, 4)
    await use(late, 8)
    expect(await costs()).toEqual([
      [one, 3, 2],
      [other, 4, 1],
      [late, 8, 1],
    ])

    await opened.store.deleteSession(one)
    await use(other, 16)
    expect(await costs()).toEqual([
      [one, 3, 2],
      [other, 20, 2],
      [late, 8, 1],
    ])
  })

  test('a deleted session keeps its cost, and its conversation is still known as counted', async () => {
    const [one, other] = [await aSession(), await aSession()]
    const figures = { ...NO_USAGE, inputTokens: 5, costUsd: 0.25, contextWindow: null }
    for (const id of [one, other]) {
      const turnId = ids.next('trn')
      await append(id, { type: 'session.changed', data: { claudeSessionId: `claude of ${id}` } })
      await append(id, turnStarted(turnId))
      await append(id, turnEnded(turnId, { modelUsage: { opus: figures } }))
    }
    const before = await opened.store.usage()
    const conversation = { sessionId: one, kind: 'managed', isAdopted: false }

    await opened.store.deleteSession(one)

    const after = await opened.store.usage()
    expect(after).toHaveLength(2)
    expect(after).toEqual(expect.arrayContaining(before))
    expect(await opened.store.session(one)).toBeNull()
    expect(await opened.store.knownConversations([`claude of ${one}`, 'of nobody'])).toEqual([
      { claudeSessionId: `claude of ${one}`, ...conversation },
    ])
    const [{ hour } = { hour: 0 }] = before
    expect(await opened.store.usage(new Date((hour + 1) * 3_600_000).toISOString())).toEqual([])
  })
}
