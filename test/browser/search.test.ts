/** The search in a real browser: filters in the address, hits that lead to their place, Back. */

import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../support/browser.js'
import { sessionWhen } from '../support/daemon-process.js'
import { logIn, openDashboard } from '../support/dashboard.js'
import { share } from '../support/when-done.js'

const FILLER = Array.from({ length: 60 }, (_, line) => `Line ${line} of a long answer.`).join('\n\n')
/** More blocks than the page loads at first. */
const MANY = Array.from({ length: 900 }, (_, block) => ({ text: `Block ${block}.` }))

describe.skipIf(chromiumPath === null)('the search', () => {
  const shared = share(() =>
    openDashboard({
      script: () => ({
        rules: [
          { when: { toolResult: '*' }, reply: [{ text: 'Listed.' }] },
          { when: { user: 'shell' }, reply: [{ tool: 'Bash', input: { command: 'echo lantern-in-shell' } }] },
          { when: { user: 'many' }, reply: MANY },
          { when: { user: 'long' }, reply: [{ text: FILLER }] },
          { reply: [{ text: 'The lighthouse stands here.' }] },
        ],
      }),
    }),
  )

  async function aConversation(...prompts: string[]) {
    const { daemon, at } = shared()
    const { client } = daemon
    const { session } = await client.createSession({ body: { cwd: at.cwd, prompt: prompts[0] ?? '' } })
    const params = { id: session.id }
    for (const [index, text] of prompts.entries()) {
      if (index > 0) await client.sendMessage({ params, body: { text } })
      await sessionWhen(client, session.id, ({ state, turns }) => state === 'idle' && turns === index + 1)
    }
    return session.id
  }

  test('groups hits by session, leads to the hit, highlights it, and is there after Back', async () => {
    const { newPage, daemon } = shared()
    const id = await aConversation('where is it', 'long one', 'long two', 'long three')
    const page = await newPage()
    await logIn(page, daemon, '/search')

    await page.getByLabel('Search terms').fill('lighthouse')
    const group = page.getByRole('region', { name: 'where is it' })
    await group.getByRole('link', { name: /lighthouse stands here/ }).waitFor()
    expect(await group.locator('mark').allInnerTexts()).toEqual(['lighthouse'])
    await expect.poll(() => new URL(page.url()).search).toBe('?q=lighthouse')
    await group.getByRole('link', { name: /lighthouse stands here/ }).click()

    const hit = page.locator('.entry.hit')
    await hit.getByText('The lighthouse stands here.').waitFor()
    expect(new URL(page.url()).pathname).toBe(`/sessions/${id}`)
    await expect.poll(() => page.evaluate("document.activeElement?.classList.contains('hit')")).toBe(true)
    const sentence = hit.getByText('The lighthouse stands here.')
    const isInView = async () => {
      const { y } = (await sentence.boundingBox()) ?? { y: -1 }
      return y > 0 && y < 800
    }
    await expect.poll(isInView).toBe(true)
    const highlighted = () => page.evaluate("[...(CSS.highlights.get('search-hit') ?? [])].map(String)")
    await expect.poll(highlighted).toEqual(['lighthouse'])

    await page.goBack()
    await group.getByRole('link', { name: /lighthouse stands here/ }).waitFor()
    expect(await page.getByLabel('Search terms').inputValue()).toBe('lighthouse')
    await page.close()
  })

  test('filters by tool, day and session; a hit in a call opens the call', async () => {
    const { newPage, daemon } = shared()
    await aConversation('shell please')
    await aConversation('lantern as a word')
    const page = await newPage({ viewport: { width: 390, height: 800 } })
    await logIn(page, daemon, '/search?q=lantern')
    const groups = page.locator('.result-group')
    await expect.poll(() => groups.count()).toBe(2)

    await page.getByText('Filters').click()
    await page.getByLabel('Tool', { exact: true }).fill('bash')
    await expect.poll(() => groups.count()).toBe(1)
    await expect.poll(() => new URL(page.url()).search).toBe('?q=lantern&tool=bash')
    await page.getByLabel('To', { exact: true }).fill('2020-01-01')
    await page.getByText('No results').or(page.locator('.empty')).first().waitFor()
    await page.getByLabel('To', { exact: true }).fill('')
    await page.getByRole('link', { name: 'Only this session' }).click()
    await page.getByRole('button', { name: 'Search all sessions' }).waitFor()
    await groups
      .getByRole('link', { name: /echo lantern-in-shell/ })
      .first()
      .click()

    const hit = page.locator('.entry.hit')
    await hit.locator('.tool-head[aria-expanded=true]').waitFor()
    await hit.getByText('echo lantern-in-shell').first().waitFor()
    await page.close()
  })

  test('a hit before the loaded part of a long session is loaded', async () => {
    const { newPage, daemon } = shared()
    const id = await aConversation('needle first', 'many')
    expect((await daemon.client.getSession({ params: { id } })).session.lastSeq).toBeGreaterThan(900)
    const { results } = await daemon.client.search({ query: { q: 'needle', sessionId: id } })
    const seq = results.find(({ type }) => type === 'message.queued')?.seq
    const page = await newPage()
    await logIn(page, daemon, `/sessions/${id}?seq=${seq}&q=needle`)

    await page.locator('.entry.hit').getByText('needle first').waitFor()
    await page.close()
  })
})
