/** Views for many sessions: the grid, what was used, the audit, the policy as forms. Without the CLI, so they are quick. */

import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { PolicyRule } from '../../src/protocol/policy/policy.js'
import { NO_USAGE } from '../../src/protocol/usage/usage-sum.js'
import { chromiumPath, openBrowser } from '../support/browser.js'
import { ids, permissionRequested, textEnded, turnEnded, turnStarted } from '../support/build.js'
import { createServedRuntime } from '../support/served-runtime.js'
import { share } from '../support/when-done.js'

const WEB = fileURLToPath(new URL('../../dist/web/', import.meta.url))
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

describe.skipIf(chromiumPath === null)('views for many sessions', () => {
  const browser = share(openBrowser)

  async function open(path: string, options: BrowserContextOptions = {}) {
    const runtime = await createServedRuntime({ webFolder: WEB })
    runtime.clock.advance(Date.now() - runtime.clock.now())
    const page = await browser().newPage({ viewport: { width: 1400, height: 900 }, ...options })
    await page.goto((await runtime.client.createLoginCode({ body: {} })).url)
    await page.locator('.rail').waitFor()
    const show = async (to = path) => page.goto(new URL(to, runtime.url).href)
    return { ...runtime, page, show }
  }

  test('the grid shows live tails, answers a request in place, and follows the keys', async () => {
    const { page, show, journal, client, createSession } = await open('/grid')
    const sessions = []
    for (let place = 1; place <= 20; place += 1) {
      const { id } = await createSession(undefined, { title: `Agent ${place}` })
      await journal.append(id, [turnStarted(ids.next('trn')), textEnded(`Working on **part** ${place}.`)])
      sessions.push(id)
    }
    const asking = sessions[6] ?? ''
    const requestId = ids.next('per')
    await journal.append(asking, [permissionRequested(requestId)])
    const streams: string[] = []
    page.on('request', (request) => /stream/.test(request.url()) && streams.push(request.url()))
    await show()
    const tiles = page.locator('.tile')
    await expect.poll(() => tiles.count()).toBe(6)
    // The one that waits is first.
    await tiles.first().getByRole('heading', { name: 'Agent 7' }).waitFor()
    await tiles
      .nth(1)
      .getByText(/^Working on part \d+\.$/)
      .waitFor()

    await page.getByLabel('Tiles').selectOption('12')
    await expect.poll(() => tiles.count()).toBe(12)
    await page.getByText('1 of 2').waitFor()
    const [last = ''] = await tiles.last().evaluateAll((all) => all.map(({ id }) => id.slice(5)))
    // Fragments are not stored: who does not follow yet misses them.
    await tiles
      .last()
      .getByText(/^Working on part/)
      .waitFor()
    const delta = {
      type: 'text.delta',
      data: { messageId: 'm', index: 0, offset: 0, text: 'Now this' },
    } as const
    journal.publish(last, delta)
    await page.locator(`#tile-${last}`).getByText('Now this').waitFor()
    expect(streams.filter((url) => !url.includes('deltas=0'))).toHaveLength(1)

    await page.locator('.tile.current [data-act="allow"]:enabled').waitFor()
    await page.keyboard.press('a')
    await expect
      .poll(async () => (await client.getRequest({ params: { id: requestId } })).request.state)
      .toBe('resolved')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await expect.poll(() => tiles.nth(2).getAttribute('aria-current')).toBe('true')
    await page.keyboard.press(']')
    await page.getByText('2 of 2').waitFor()
    await expect.poll(() => tiles.count()).toBe(8)
    await expect.poll(() => page.url()).toContain('page=2')
    await page.keyboard.press('Enter')
    await page.locator('.heading').waitFor()
    await page.close()
  })

  test('keys answer only what is in view, and a reason typed at once is no shortcut', async () => {
    const { page, show, journal, createSession } = await open('/inbox', { serviceWorkers: 'block' })
    const { id } = await createSession()
    await journal.append(id, [turnStarted(ids.next('trn')), permissionRequested(ids.next('per'))])
    await show()
    const answers: string[] = []
    page.on('request', (request) => request.url().endsWith('/answer') && answers.push(request.url()))
    await page.locator('.request.current').waitFor()
    await page.keyboard.press('d')
    await page.keyboard.type('not a good idea')
    expect(await page.getByLabel('Reason (sent to the agent)').inputValue()).toBe('not a good idea')
    await page.keyboard.press('Escape')
    await page.locator('.request.current [data-act="allow"]:enabled').waitFor()

    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/assets/*.js', async (route) => {
      await held
      await route.continue()
    })
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.locator('main > .empty').waitFor()
    await page.keyboard.press('a')
    release()
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    expect(answers).toEqual([])
    await page.close()
  })

  test('the grid is one column on a phone, and closes its stream when it is left', async () => {
    const { page, show, createSession } = await open('/grid', PHONE)
    for (const title of ['One', 'Two']) await createSession(undefined, { title })
    const ended: string[] = []
    page.on('requestfailed', (request) => ended.push(request.url()))
    await show()
    await page.locator('.tile').nth(1).waitFor()
    const [one, two] = [
      await page.locator('.tile').first().boundingBox(),
      await page.locator('.tile').nth(1).boundingBox(),
    ]
    expect(two?.x).toBe(one?.x)
    expect(two?.y).toBeGreaterThan((one?.y ?? 0) + (one?.height ?? 0))
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)

    await page.getByRole('button', { name: 'Commands' }).click()
    await page.getByRole('combobox', { name: 'Find a session, an action or a message' }).fill('usage')
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    await expect.poll(() => ended.filter((url) => url.endsWith('deltas=1')).length).toBe(1)
    await page.close()
  })

  test('usage names what today and this week cost, by model and folder, and keeps that of deleted sessions', async () => {
    const { page, show, journal, client, createSession, cwd } = await open('/usage?period=today')
    const figures = { ...NO_USAGE, inputTokens: 1_000, outputTokens: 100, contextWindow: null }
    const spend = async (costs: Record<string, number>, isScripted?: true) => {
      const { id } = await createSession()
      const turnId = ids.next('trn')
      const modelUsage = Object.fromEntries(
        Object.entries(costs).map(([model, costUsd]) => [model, { ...figures, costUsd }]),
      )
      const costUsd = Object.values(costs).reduce((sum, cost) => sum + cost, 0)
      await journal.append(id, [turnStarted(turnId)])
      await journal.append(id, [
        turnEnded(turnId, { modelUsage, costUsd, ...(isScripted && { isScripted }) }),
      ])
      return id
    }
    const dear = await spend({ 'claude-opus-5-5': 1.5, 'claude-haiku-4-5': 0.25 })
    await spend({ 'claude-opus-5-5': 9 }, true)

    await show()
    await page.getByRole('button', { name: 'Today $1.75' }).waitFor()
    await page.getByRole('button', { name: 'This week $1.75' }).waitFor()
    const legend = page.locator('.legend li')
    expect(await legend.allInnerTexts()).toEqual(['Opus 5.5 $1.50', 'Haiku 4.5 $0.25'])
    expect(await page.locator('.days-column .series-0').count()).toBe(24)
    await page.locator('.usage-table').getByText('Opus 5.5 $1.50 · Haiku 4.5 $0.25').waitFor()
    await page.getByText('its tokens cost nothing').waitFor()

    await page.getByRole('button', { name: 'Session', exact: true }).click()
    await page.locator('.usage-table').getByText('scripted, free').waitFor()
    await client.deleteSession({ params: { id: dear } })
    await page.reload()
    await page.locator('.usage-table').getByText('Deleted session').waitFor()
    await page.getByRole('button', { name: 'Folder' }).click()
    const row = page.locator('.usage-table tr', { hasText: cwd.split('/').at(-1) ?? '' })
    await row.getByText('$1.75').waitFor()
    await expect.poll(() => new URL(page.url()).search).toContain('by=project')
    await page.close()
  })

  test("the audit shows users' decisions first, and is filtered by tool, outcome and text", async () => {
    const { page, show, journal, createSession } = await open('/policy/audit')
    const { id } = await createSession()
    const judged = (place: number) => ({
      type: 'tool.judged' as const,
      data: {
        toolUseId: `toolu_${place}`,
        name: 'Read',
        title: `Read: part-${place}.txt`,
        decision: place % 2 === 0 ? ('allow' as const) : ('deny' as const),
        by: 'policy: read-only',
        inputDigest: 'd',
      },
    })
    await journal.append(
      id,
      Array.from({ length: 130 }, (_, place) => judged(place)),
    )
    await show()
    const rows = page.locator('.audit tbody tr')
    await rows.filter({ hasText: 'Login' }).first().waitFor()
    expect(await rows.filter({ hasText: 'part-' }).count()).toBe(0)

    await page.getByRole('button', { name: 'Policy', exact: true }).click()
    await expect.poll(() => rows.count()).toBe(100)
    await page.getByRole('button', { name: /^Show entries before/ }).click()
    await expect.poll(() => rows.count()).toBe(130)
    await page.getByText('Filters').click()
    await page.getByLabel('Outcome').selectOption('Denied')
    await expect.poll(() => rows.count()).toBe(65)
    await page.getByLabel('Search calls, reasons, rules and users').fill('PART-11')
    await expect.poll(() => rows.count()).toBe(6)
    await page.reload()
    await expect.poll(() => rows.count()).toBe(6)
    await page.getByRole('link', { name: 'Only this session' }).first().click()
    await expect.poll(() => rows.count()).toBe(100)
    await page.close()
  })

  test('the policy is edited as forms without losing what JSON has, and shows what a rule changes', async () => {
    const { page, show, client, createSession } = await open('/policy')
    await createSession()
    const rule: PolicyRule = {
      name: 'all fields',
      verdict: 'deny',
      reason: 'Not here.',
      when: {
        tools: ['Bash', 'mcp__*'],
        commands: ['rm **', ' odd\npattern '],
        paths: ['src/**'],
        access: ['write', 'delete'],
        servers: ['github'],
        sources: ['project'],
        workspaces: ['/work'],
        agents: ['main'],
        modes: ['plan', 'default'],
      },
      until: '2099-01-02T03:04:05.678Z',
    }
    const before = { preset: 'careful' as const, autoAllowTools: ['Read'], rules: [rule] }
    await client.setPolicy({ body: before })
    await show()
    await page.getByText('Deny rules come first, in every mode.').waitFor()
    expect(await page.getByText('denyFirst').count()).toBe(0)

    await page.getByRole('button', { name: 'Edit rule all fields' }).click()
    const form = page.getByRole('dialog', { name: 'Edit rule' })
    expect(await form.getByLabel('Commands').getAttribute('readonly')).not.toBeNull()
    await form.getByLabel(/^Reason/).fill('Never here.')
    await form.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: 'Add rule' }).click()
    const fresh = page.getByRole('dialog', { name: 'New rule' })
    await fresh.getByLabel('Rule name').fill('clean')
    await fresh.getByRole('radio', { name: 'Allow' }).check()
    await fresh.getByLabel('Commands').fill('rm -rf [!-]*')
    await fresh.locator('.destructive', { hasText: 'rm -rf src' }).getByText('Ask → Allow').waitFor()
    await fresh.getByLabel('Until').selectOption('1 week from now')
    await fresh.getByRole('button', { name: 'Apply' }).click()

    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'As JSON' }).click()
    const json = page.getByLabel('Policy', { exact: true })
    await json.fill((await json.inputValue()).replace('"clean"', '"clean up"'))
    await page.getByRole('button', { name: 'Form', exact: true }).click()
    await page.getByText('clean up').waitFor()
    await page.getByRole('button', { name: 'Test on the last 7 days' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()

    await expect.poll(async () => (await client.getPolicy()).policy.rules.length).toBe(2)
    const { policy } = await client.getPolicy()
    expect(policy).toEqual({
      ...before,
      denyFirst: false,
      rules: [
        { ...rule, reason: 'Never here.' },
        {
          name: 'clean up',
          verdict: 'allow',
          when: { commands: ['rm -rf [!-]*'] },
          until: expect.stringMatching(/Z$/),
        },
      ],
    })
    await page.getByRole('radio', { name: /^classic/ }).check()
    await page.getByLabel(/denyFirst/).check()
    await page.getByRole('button', { name: 'As JSON' }).click()
    expect(JSON.parse(await json.inputValue())).toMatchObject({ preset: 'classic', denyFirst: true })
    await page.getByRole('button', { name: 'Discard changes' }).click()
    expect(JSON.parse(await json.inputValue())).not.toHaveProperty('denyFirst')
    await page.close()
  })
})
