/** Output of agents and tools and input of users is rendered as text, whatever it looks like. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Client } from '../../src/client/client.js'
import { chromiumPath } from '../support/browser.js'
import { pendingRequest, sessionWhen } from '../support/daemon-process.js'
import { logIn, openDashboard } from '../support/dashboard.js'
import { HOSTILE, SEEDS, watch } from '../support/hostile.js'

/** Lets a session do what it asks for, until it rests. */
async function allowAll(client: Client, id: string): Promise<void> {
  for (;;) {
    const { pendingRequests } = await sessionWhen(
      client,
      id,
      ({ state, turns, pendingRequests: asked }) => asked.length > 0 || (state === 'idle' && turns > 0),
    )
    const [request] = pendingRequests
    if (request === undefined) return
    await client.answerRequest({ params: { id: request }, body: { decision: 'allow' } })
    await sessionWhen(client, id, (session) => !session.pendingRequests.includes(request))
  }
}

describe.skipIf(chromiumPath === null)('hostile texts', () => {
  test(`${HOSTILE.length} of them in every place where text is shown: nothing runs, nothing is fetched`, async () => {
    expect(HOSTILE.length).toBe(200)
    const { at, daemon, page } = await openDashboard({
      script: (cwd) => ({
        rules: [
          {
            when: { user: 'text' },
            reply: HOSTILE.slice(0, 100).flatMap((text) => [{ text, chunk: 5_000 }]),
          },
          { when: { user: 'more' }, reply: HOSTILE.slice(100).flatMap((text) => [{ text, chunk: 5_000 }]) },
          {
            when: { user: 'think' },
            reply: [{ thinking: HOSTILE.join('\n\n'), chunk: 5_000 }, { text: 'Thought.' }],
          },
          {
            when: { user: 'call' },
            reply: [{ tool: 'Bash', input: { command: 'cat hostile.txt' }, chunk: 900 }],
          },
          {
            when: { user: 'read' },
            reply: [{ tool: 'Read', input: { file_path: `${cwd}/hostile.txt` }, chunk: 900 }],
          },
          {
            when: { user: 'file' },
            reply: [
              {
                tool: 'Write',
                input: { file_path: `${cwd}/<img src=x onerror=pwned()>.txt`, content: HOSTILE.join('\n') },
                chunk: 90_000,
              },
            ],
          },
          {
            when: { user: 'ask' },
            reply: [
              {
                tool: 'AskUserQuestion',
                input: {
                  questions: [
                    {
                      question: SEEDS[0],
                      header: SEEDS[1]?.slice(0, 12),
                      multiSelect: true,
                      options: [
                        { label: SEEDS[2], description: SEEDS[3] },
                        { label: SEEDS[4], description: SEEDS[5] },
                      ],
                    },
                  ],
                },
                chunk: 9_000,
              },
            ],
          },
          { reply: [{ text: 'ok' }] },
        ],
      }),
    })
    // Only ever read: no command is made of these texts.
    await writeFile(join(at.cwd, 'hostile.txt'), HOSTILE.join('\n'))
    const seen = await watch(page)
    await logIn(page, daemon, '/')
    const create = async (prompt: string, title?: string) =>
      (await daemon.client.createSession({ body: { cwd: at.cwd, prompt, ...(title && { title }) } })).session
        .id
    const texts = await create('text', '<img src=x onerror=pwned()>')
    const more = await create('more', SEEDS[26])
    const thoughts = await create('think')
    const hostilePrompt = await create(HOSTILE.join('\n').slice(0, 100_000))
    const called = [await create('call'), await create('read')]
    const waiting = [await create('file'), await create('ask')]
    for (const id of [texts, more, thoughts, hostilePrompt])
      await sessionWhen(daemon.client, id, ({ state, turns }) => state === 'idle' && turns > 0)
    for (const id of waiting) await pendingRequest(daemon.client, id)
    for (const id of called) await allowAll(daemon.client, id)

    for (const id of [texts, more, thoughts, hostilePrompt, ...called, ...waiting]) {
      for (const tab of ['', '/timeline', '/agents']) {
        await page.goto(new URL(`/sessions/${id}${tab}`, daemon.url).href)
        await page.locator('.heading').waitFor()
        if (tab !== '') continue
        await page.locator('.entry').first().waitFor()
        await page.evaluate(
          'document.querySelectorAll("details.thinking").forEach((part) => { part.open = true })',
        )
        // From the end to the start, so that everything has been drawn once.
        for (let step = 0; step < 40; step += 1) {
          const isAtStart = await page.evaluate(
            '(() => { const s = document.querySelector(".transcript"); s.scrollTop -= 1500; return s.scrollTop === 0 })()',
          )
          if (isAtStart) break
        }
      }
    }
    await page.goto(new URL('/inbox', daemon.url).href)
    await page.locator('.request').nth(1).waitFor()
    await page.getByRole('group', { name: SEEDS[0] ?? '' }).waitFor()

    expect(seen).toEqual([])
    expect(
      await page.evaluate(
        'document.querySelectorAll("main script, main iframe, main style, main link").length',
      ),
    ).toBe(0)
    for (const id of waiting) await daemon.client.stopSession({ params: { id }, body: {} })
    await daemon.stop()
  })
})
