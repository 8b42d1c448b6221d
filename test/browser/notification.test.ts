/** A phone, from pairing to the answer: a real page and service worker, real encryption, the real CLI. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../support/browser.js'
import { openPhone, openWorker, stubSubscribe } from '../support/push-phone.js'

interface Pushed {
  type: string
  tag: string
  actions: { decision: string; token: string }[]
}

describe.skipIf(chromiumPath === null)('a phone', () => {
  test('is paired by a link, notified, and answers from the notification, and from a link over a bad line', async () => {
    const { client, url, cwd, hub, service, newPage } = await openPhone((folder) => ({
      rules: [
        { when: { toolResult: '*' }, reply: [{ text: 'Result: {{toolResult}}' }] },
        ...['one', 'two'].map((name) => ({
          when: { user: name },
          reply: [{ tool: 'Write', input: { file_path: join(folder, `${name}.txt`), content: name } }],
        })),
      ],
    }))
    const page = await newPage()
    await stubSubscribe(page, service)
    const { url: link } = await client.createLoginCode({
      body: { role: 'operator', user: 'admin', isPairing: true },
    })

    // Opening the link shows the role and pairs nothing.
    await page.goto(link)
    await page.getByText('with the role Operator').waitFor()
    expect((await client.listTokens()).tokens).toEqual([])
    await page.getByRole('button', { name: 'Pair', exact: true }).click()
    await page.getByLabel('Notify this device').click()
    await page.getByLabel('Show Allow and Deny').click()
    await expect
      .poll(async () => (await client.listChannels()).channels)
      .toMatchObject([
        {
          kind: 'push',
          source: 'device',
          user: 'admin',
          may: 'answer',
          target: expect.stringMatching(/^push\.example/),
        },
      ])
    expect((await client.listTokens()).tokens).toMatchObject([{ role: 'operator', kind: 'browser' }])

    // The push service cannot read what the browser shows.
    const worker = await openWorker(page, url)
    const pushed = () => service.messages.map(({ content }) => content as Pushed)
    const ask = async (prompt: string) => {
      const before = pushed().length
      const { session } = await client.createSession({ body: { cwd, prompt } })
      await expect.poll(() => pushed().length).toBeGreaterThan(before)
      return { sessionId: session.id, message: pushed()[before] }
    }
    const first = await ask('one')
    expect(await worker.show(first.message)).toMatchObject([
      { tag: first.message?.tag, actions: ['allow', 'deny'], body: expect.stringContaining('one.txt') },
    ])

    await worker.press('allow')

    await expect.poll(() => existsSync(join(cwd, 'one.txt'))).toBe(true)
    const requests = async () => (await client.listRequests({ query: { state: 'resolved' } })).requests
    expect(await requests()).toMatchObject([
      { resolution: { decision: 'allow', who: 'admin', via: 'channel' } },
    ])
    await expect.poll(() => pushed().at(-1)).toMatchObject({ type: 'settled', tag: first.message?.tag })

    // A button of a request that is answered says so; the message that settles it closes what is shown.
    await worker.show(first.message)
    await worker.press('deny')
    await expect.poll(worker.shown).toMatchObject([{ body: 'Not answered. Tap to open the request.' }])
    await expect
      .poll(async () => {
        await worker.push(pushed().at(-1))
        return worker.shown()
      })
      .toEqual([])

    // A press on the text opens the request in the page that is open.
    const second = await ask('two')
    await worker.show(second.message)
    await worker.press('')
    await page.getByRole('link', { name: 'All requests' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/requests/${second.message?.tag}`)

    // A link needs no login; the answer survives a gap in the connection, and is one answer.
    const guest = await newPage()
    await guest.goto(`${url}/answer#${second.message?.actions[0]?.token}`)
    await guest.getByText('You answer as admin').waitFor()
    await guest.context().setOffline(true)
    await guest.getByRole('button', { name: 'Deny' }).click()
    await guest.getByText('Trying again').waitFor()
    await guest.context().setOffline(false)
    await expect.poll(async () => (await requests()).length, { timeout: 20_000 }).toBe(2)
    await expect.poll(async () => (await hub.session(second.sessionId)).turn).toBeNull()
    expect(existsSync(join(cwd, 'two.txt'))).toBe(false)
  })
})
