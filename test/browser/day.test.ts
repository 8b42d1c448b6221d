/**
 * A day with twenty agents: ten everyday jobs, and the clicks and keys that each takes. Everything but the CLI is real: its
 * events are given, so that twenty sessions fit into a test.
 */

import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { EventDraft } from '../../src/protocol/event/event.js'
import { NO_USAGE } from '../../src/protocol/usage/usage-sum.js'
import { chromiumPath, openBrowser } from '../support/browser.js'
import {
  ids,
  messageQueued,
  permissionRequested,
  textEnded,
  turnEnded,
  turnStarted,
} from '../support/build.js'
import { createServedRuntime } from '../support/served-runtime.js'

const WEB = fileURLToPath(new URL('../../dist/web/', import.meta.url))
const CALLS = 300
const RESET = Date.UTC(2099, 0, 1, 18)

/** A hand that counts: a chord such as Ctrl+K is one key. */
class Hand {
  readonly #page: Page
  clicks = 0
  keys = 0

  constructor(page: Page) {
    this.#page = page
  }

  async click(target: Locator): Promise<void> {
    this.clicks += 1
    await target.click()
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      this.keys += 1
      await this.#page.keyboard.press(key)
    }
  }

  async type(text: string): Promise<void> {
    this.keys += text.length
    await this.#page.keyboard.type(text)
  }
}

function bashCalls(count: number): EventDraft[] {
  return Array.from({ length: count }, (_, place): EventDraft[] => {
    const toolUseId = `toolu_${place}`
    return [
      { type: 'tool.requested', data: { toolUseId, name: 'Bash', input: { command: `npm test ${place}` } } },
      { type: 'tool.started', data: { toolUseId, by: 'policy: read-only' } },
      {
        type: 'tool.ended',
        data: { toolUseId, name: 'Bash', outcome: 'completed', result: { stdout: 'ok' }, durationMs: 10 },
      },
    ]
  }).flat()
}

/** 5 ask, 2 have failed, 1 is rate-limited, 1 has made 300 calls, 3 work, 8 are idle. */
async function aDay(runtime: Awaited<ReturnType<typeof createServedRuntime>>) {
  const { journal, createSession, cwd } = runtime
  const begin = async (title: string, ...more: EventDraft[]) => {
    const { id } = await createSession(undefined, { title })
    const messageId = ids.next('msg')
    const turnId = ids.next('trn')
    await journal.append(id, [messageQueued(`Please: ${title}`, messageId)])
    await journal.append(id, [
      turnStarted(turnId, [messageId]),
      { type: 'message.delivered', data: { messageId, turnId } },
      ...more,
    ])
    return { id, turnId }
  }
  const figures = { ...NO_USAGE, inputTokens: 20_000, outputTokens: 900, contextWindow: null }
  const spent = { modelUsage: { 'claude-opus-5-5': { ...figures, costUsd: 0.25 } }, costUsd: 0.25 }
  const end = (id: string, turnId: string, data: Parameters<typeof turnEnded>[1] = spent) =>
    journal.append(id, [turnEnded(turnId, data)])
  const requests = []
  for (let place = 1; place <= 5; place += 1) {
    const requestId = ids.next('per')
    const input = { command: `rm -rf build-${place}` }
    const call: EventDraft = { type: 'tool.requested', data: { toolUseId: 'toolu_ask', name: 'Bash', input } }
    const { id } = await begin(`Ask ${place}`, call)
    await journal.append(id, [
      permissionRequested(requestId, {
        toolUseId: 'toolu_ask',
        toolName: 'Bash',
        input,
        title: `Bash: ${input.command}`,
      }),
    ])
    requests.push({ id, requestId })
  }
  for (const place of [1, 2]) {
    const { id, turnId } = await begin(`Fail ${place}`)
    await end(id, turnId, {
      outcome: 'failed',
      stopReason: 'prompt_too_long',
      errors: ['prompt is too long'],
    })
  }
  const limited = await begin('Limited')
  const conditionDetail = { until: new Date(RESET).toISOString(), reason: 'five hour' }
  await journal.append(limited.id, [
    { type: 'session.changed', data: { condition: 'rate_limited', conditionDetail } },
  ])
  const busy = await begin('Many calls', ...bashCalls(CALLS))
  await end(busy.id, busy.turnId)
  for (const place of [1, 2, 3]) await begin(`Work ${place}`, textEnded(`Part ${place} is under way.`))
  const idle = []
  for (let place = 1; place <= 8; place += 1) {
    const text = place === 4 ? 'The lantern is in the second drawer.' : `Part ${place} is done.`
    const { id, turnId } = await begin(`Idle ${place}`, textEnded(text))
    await end(id, turnId)
    idle.push(id)
  }
  return { requests, busy: busy.id, idle, cwd }
}

describe.skipIf(chromiumPath === null)('a day with twenty agents', () => {
  test('ten everyday jobs take few clicks and keys', async () => {
    const runtime = await createServedRuntime({ webFolder: WEB })
    const { clock, client, claudes } = runtime
    clock.advance(Date.now() - clock.now())
    const { requests, busy, idle, cwd } = await aDay(runtime)
    const page = await (await openBrowser()).newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto((await client.createLoginCode({ body: {} })).url)
    const home = async () => {
      await page.goto(new URL('/', runtime.url).href)
      await page.locator('.session-row').first().waitFor()
    }
    const taken: Record<string, { clicks: number; keys: number }> = {}
    const job = async (name: string, work: (hand: Hand) => Promise<void>) => {
      await home()
      const hand = new Hand(page)
      await work(hand)
      taken[name] = { clicks: hand.clicks, keys: hand.keys }
    }
    const stateOf = async (id: string) => (await client.getSession({ params: { id } })).session.state
    const answers = async () => {
      const { records } = await client.listAudit({ query: { by: 'person', kind: 'request.resolved' } })
      return records.length
    }

    const chip = (name: string) => page.locator('.list-head').getByRole('button', { name, exact: true })

    await job('who is rate-limited, and until when', async (hand) => {
      await hand.click(chip('Working'))
      await page
        .locator('.session-row', { hasText: 'Limited' })
        .getByText(/^Rate limited until .*2099/)
        .waitFor()
    })

    await job('allow one call from now on, and nothing like it', async (hand) => {
      await hand.click(page.locator('.session-row', { hasText: 'Ask 1' }))
      await hand.click(page.getByRole('button', { name: 'Create rule' }))
      await hand.click(page.getByRole('button', { name: 'Save rule and allow' }))
      await expect.poll(answers).toBe(1)
      const { policy } = await client.getPolicy()
      expect(policy.rules.map(({ when }) => when)).toEqual([
        { tools: ['Bash'], commands: ['rm -rf build-1'], workspaces: [cwd] },
      ])
    })

    await job('watch several at once, and answer one of them', async (hand) => {
      await hand.press('g', 'g')
      await page.locator('.tile').nth(5).waitFor()
      await page.locator('.tile.current [data-act="allow"]:enabled').waitFor()
      await hand.press('a')
      await expect.poll(answers).toBe(2)
    })

    await job('find who needs me, and answer all of them', async (hand) => {
      await hand.press('g', 'i')
      const cards = page.locator('.requests > li')
      await expect.poll(() => cards.count()).toBe(3)
      for (const place of [0, 1, 2]) {
        if (place > 0) await hand.press('j')
        await cards.nth(place).locator('[data-act="allow"]:enabled').waitFor()
        await hand.press('a')
      }
      await expect.poll(answers).toBe(5)
      for (const { requestId } of requests)
        expect((await client.getRequest({ params: { id: requestId } })).request.state).toBe('resolved')
    })

    await job('try again what failed', async (hand) => {
      const before = claudes.started.length
      await hand.click(page.getByRole('button', { name: /^Continue all/ }))
      await expect.poll(() => claudes.started.length).toBeGreaterThanOrEqual(before + 2)
      const sent = claudes.started.slice(before).flatMap(({ received }) => JSON.stringify(received))
      await expect
        .poll(() => claudes.started.slice(before).every(({ received }) => received.length > 0))
        .toBe(true)
      expect(sent.length).toBeGreaterThanOrEqual(2)
    })

    await job('find a message of the past, at its place', async (hand) => {
      await hand.press('Control+k')
      await page.getByRole('dialog').getByRole('combobox').waitFor()
      await hand.type('lantern')
      await page
        .getByRole('option', { name: /lantern/ })
        .first()
        .waitFor()
      await hand.press('Enter')
      await hand.click(page.locator('.result').first())
      await page.locator('.entry.hit', { hasText: 'The lantern is in the second drawer.' }).waitFor()
    })

    await job('see what an agent with 300 calls did', async (hand) => {
      await hand.click(chip('Idle'))
      await hand.click(page.locator(`#row-${busy}`))
      await page.getByRole('button', { name: /^Ran \d+ commands/ }).waitFor()
    })

    await job('end three sessions', async (hand) => {
      await hand.click(chip('Idle'))
      await hand.click(page.getByRole('button', { name: 'Select sessions' }))
      for (const place of [6, 7, 8]) await hand.click(page.getByLabel(`Select Idle ${place}`))
      await hand.click(page.getByRole('button', { name: 'End (3)' }))
      await hand.click(page.getByRole('dialog').getByRole('button', { name: 'End (3)' }))
      for (const id of idle.slice(5)) await expect.poll(() => stateOf(id)).toBe('ended')
    })

    await job('see what today cost', async (hand) => {
      await hand.click(page.getByRole('link', { name: 'Usage' }))
      await page.getByRole('button', { name: 'Today $2.25' }).waitFor()
    })

    await job('see who allowed what', async (hand) => {
      await hand.click(page.getByRole('link', { name: 'Policy' }))
      await hand.click(page.getByRole('link', { name: 'Audit' }))
      await page.locator('.audit tbody tr', { hasText: 'rm -rf build-3' }).getByText('Allowed').waitFor()
    })

    expect(taken).toEqual({
      'who is rate-limited, and until when': { clicks: 1, keys: 0 },
      'allow one call from now on, and nothing like it': { clicks: 3, keys: 0 },
      'watch several at once, and answer one of them': { clicks: 0, keys: 3 },
      'find who needs me, and answer all of them': { clicks: 0, keys: 7 },
      'try again what failed': { clicks: 1, keys: 0 },
      'find a message of the past, at its place': { clicks: 1, keys: 9 },
      'see what an agent with 300 calls did': { clicks: 2, keys: 0 },
      'end three sessions': { clicks: 7, keys: 0 },
      'see what today cost': { clicks: 1, keys: 0 },
      'see who allowed what': { clicks: 2, keys: 0 },
    })
    await page.close()
  })
})
