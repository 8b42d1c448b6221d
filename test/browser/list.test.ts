/** The list of sessions in a real browser: names that stay, conditions, and what is done to several at once. */

import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../support/browser.js'
import { pendingRequest, sessionWhen } from '../support/daemon-process.js'
import { logIn, openDashboard } from '../support/dashboard.js'
import { share } from '../support/when-done.js'

describe.skipIf(chromiumPath === null)('the list', () => {
  const shared = share(() =>
    openDashboard({
      script: (cwd) => ({
        rules: [
          { when: { toolResult: '*' }, reply: [{ text: 'Done.' }] },
          {
            when: { user: '/store (\\w+)/' },
            reply: [{ tool: 'Write', input: { file_path: join(cwd, '{{match.1}}.txt'), content: 'x' } }],
          },
          { when: { user: 'remove' }, reply: [{ tool: 'Bash', input: { command: 'rm -rf build' } }] },
          { when: { user: 'too long' }, times: 1, reply: [{ error: 400, message: 'prompt is too long' }] },
          { when: { user: 'overloaded' }, times: 2, reply: [{ error: 529 }] },
          { reply: [{ text: 'You said: {{user}}' }] },
        ],
      }),
    }),
  )

  async function open(path = '/') {
    const { newPage, daemon, at } = shared()
    const page = await newPage()
    await logIn(page, daemon, path)
    return { page, client: daemon.client, cwd: at.cwd }
  }

  test('a session keeps the name of its first prompt, with the last message below it', async () => {
    const { page, client, cwd } = await open()
    const { session } = await client.createSession({ body: { cwd, prompt: '# Fix the **login** page' } })
    const params = { id: session.id }
    await sessionWhen(client, session.id, ({ state, turns }) => state === 'idle' && turns === 1)
    const row = page.locator(`#row-${session.id}`)
    await row.getByText('Fix the login page', { exact: true }).waitFor()

    await client.sendMessage({ params, body: { text: 'use tabs please' } })
    await sessionWhen(client, session.id, ({ state, turns }) => state === 'idle' && turns === 2)

    await row.locator('.last-message', { hasText: 'use tabs please' }).waitFor()
    expect(await row.locator('.title').innerText()).toBe('Fix the login page')
    await row.click()
    const heading = page.locator('.heading')
    await heading.getByText('use tabs please').waitFor()
    expect(await heading.getByRole('heading').innerText()).toBe('Fix the login page')
    await page.close()
  })

  test('a failed turn needs you until Retry sends its message again, and its error stands once', async () => {
    const { page, client, cwd } = await open()
    const { session } = await client.createSession({ body: { cwd, prompt: 'too long' } })
    await sessionWhen(client, session.id, ({ condition }) => condition === 'failed')
    const group = page.locator('.rows li', { has: page.getByRole('heading', { name: /^Needs you/ }) })
    await group.waitFor()
    const row = page.locator('.row-box', { has: page.locator(`#row-${session.id}`) })
    await row.getByText(/^Failed: .*prompt is too long/i).waitFor()
    await row.locator('a').click()
    const conversation = page.locator('main')
    await conversation
      .getByText(/prompt is too long/i)
      .first()
      .waitFor()
    expect(await conversation.locator('.notice', { hasText: /prompt is too long/i }).count()).toBe(1)

    await row.getByRole('button', { name: 'Retry' }).click()

    await conversation.getByText('You said: too long').waitFor()
    await row.getByText(/^Idle/).waitFor()
    expect(await row.getByRole('button', { name: 'Retry' }).count()).toBe(0)
    await page.close()
  })

  test('retries are one row that counts, and the session says so while it waits', async () => {
    const { page, client, cwd } = await open()
    const { session } = await client.createSession({ body: { cwd, prompt: 'overloaded' } })
    const row = page.locator(`#row-${session.id}`)
    await row.getByText(/^Retrying \d+ of \d+, next try/).waitFor()
    await sessionWhen(client, session.id, ({ state, turns }) => state === 'idle' && turns === 1)
    await row.click()

    await page.locator('main').getByText('You said: overloaded').waitFor()
    expect(await page.locator('main .notice', { hasText: 'trying again' }).count()).toBe(1)
    await row.getByText(/^Idle/).waitFor()
    await page.close()
  })

  test('several sessions are archived and ended at once, and shown again on request', async () => {
    const { page, client, cwd } = await open()
    const create = async (title: string) => (await client.createSession({ body: { cwd, title } })).session.id
    const [one, two] = [await create('First of two'), await create('Second of two')]
    const rowOf = (id: string) => page.locator(`#row-${id}`)
    await rowOf(two).waitFor()
    await rowOf(one).focus()
    await page.keyboard.press('x')
    await page.getByLabel('Select Second of two').check()
    await page.getByRole('status').getByText('2 selected').waitFor()

    await page.getByRole('button', { name: 'End (2)' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End (2)' }).click()
    await sessionWhen(client, one, ({ state }) => state === 'ended')
    await sessionWhen(client, two, ({ state }) => state === 'ended')
    await page.getByRole('button', { name: 'Archive (2)' }).click()
    await rowOf(one).waitFor({ state: 'detached' })
    await rowOf(two).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.getByRole('toolbar').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'View', exact: true }).click()
    await page.getByRole('button', { name: 'Show archived' }).click()
    await rowOf(one).getByText('Archived').waitFor({ state: 'attached' })
    expect((await client.getSession({ params: { id: one } })).session).toMatchObject({ isArchived: true })
    await page.close()
  })

  test('a pinned session is first in its group, its tags are shown, and the list groups by folder', async () => {
    const { page, client, cwd } = await open()
    const create = async (title: string) => (await client.createSession({ body: { cwd, title } })).session.id
    const [old, fresh] = [await create('Older'), await create('Fresher')]
    await page.locator(`#row-${fresh}`).waitFor()
    await page.locator(`#row-${old}`).click()
    const menu = page.locator('.heading').getByRole('button', { name: 'More' })
    await menu.click()
    await page.getByRole('button', { name: 'Pin', exact: true }).click()
    const titles = page.locator('.rows .title')
    await expect.poll(async () => (await titles.allInnerTexts()).join(' ')).toMatch(/Older.*Fresher/)
    await menu.click()
    await page.getByRole('button', { name: 'Tags', exact: true }).click()
    await page.getByLabel('Tags, separated by commas').fill('login, 로그인 , login')
    await page.getByRole('button', { name: 'Save', exact: true }).click()

    await page.locator(`#row-${old} .tag`).nth(1).waitFor()
    expect((await client.getSession({ params: { id: old } })).session.tags).toEqual(['login', '로그인'])
    await page.getByRole('button', { name: 'View', exact: true }).click()
    await page.getByRole('button', { name: 'Group by folder' }).click()
    await page.locator('.group.folder').first().waitFor()
    await page.close()
  })

  test('the list is folded and resized by keys, and stays so after a reload', async () => {
    const { page } = await open()
    const pane = page.locator('.list-pane')
    const edge = page.getByRole('separator', { name: 'Width of the list' })
    await edge.focus()
    const before = (await pane.boundingBox())?.width ?? 0
    await page.keyboard.press('ArrowRight')
    await expect.poll(async () => (await pane.boundingBox())?.width).toBe(before + 24)

    await page.keyboard.press('[')
    await page.getByRole('button', { name: 'Show the list' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Show the list' }).click()
    await edge.waitFor()
    expect((await pane.boundingBox())?.width).toBe(before + 24)
    await page.close()
  })

  test('harmless requests of several sessions are allowed together, a destructive one never is', async () => {
    const { page, client, cwd } = await open()
    const create = async (prompt: string) =>
      (await client.createSession({ body: { cwd, prompt } })).session.id
    const ids = [await create('store one'), await create('store two'), await create('remove it')]
    for (const id of ids) await pendingRequest(client, id)
    const kept = await pendingRequest(client, ids[2] ?? '')
    await page.getByRole('button', { name: 'Select sessions' }).click()
    for (const id of ids)
      await page
        .locator('.row-box', { has: page.locator(`#row-${id}`) })
        .getByRole('checkbox')
        .check()

    await page.getByRole('button', { name: 'Allow (3)' }).click()
    const dialog = page.getByRole('dialog', { name: 'Allow 2 calls once?' })
    await dialog.getByText('1 request is not included.').waitFor()
    await dialog.getByRole('button', { name: 'Allow (2)' }).click()

    for (const id of ids.slice(0, 2))
      await sessionWhen(client, id, ({ state, turns }) => state === 'idle' && turns === 1)
    expect((await client.getRequest({ params: { id: kept.id } })).request.state).toBe('pending')
    const { records } = await client.listAudit({ query: { limit: 200 } })
    const answered = records.filter(({ by, sessionId }) => by === 'person' && ids.includes(sessionId ?? ''))
    expect(answered.map(({ kind, verdict }) => [kind, verdict])).toEqual([
      ['request.resolved', 'allow'],
      ['request.resolved', 'allow'],
    ])
    for (const id of ids) await client.stopSession({ params: { id }, body: {} })
    await page.close()
  })
})
