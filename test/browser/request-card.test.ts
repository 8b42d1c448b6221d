/** A request shows what it is about once, and its buttons are in view however long it is. */

import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../support/browser.js'
import { pendingRequest } from '../support/daemon-process.js'
import { logIn, openDashboard } from '../support/dashboard.js'
import { share } from '../support/when-done.js'

const LONG = Array.from({ length: 60 }, (_, place) => `line number ${place}`).join('\n')
const PLAN = Array.from({ length: 30 }, (_, place) => `${place + 1}. Do the step number ${place}.`).join('\n')

const question = (text: string) => ({
  question: text,
  header: text.slice(0, 10),
  multiSelect: false,
  options: ['First', 'Second', 'Third', 'Fourth'].map((label) => ({ label, description: `${label} way` })),
})

describe.skipIf(chromiumPath === null)('a request', () => {
  const shared = share(() =>
    openDashboard({
      script: (cwd) => ({
        rules: [
          { when: { toolResult: '*' }, reply: [{ text: 'Result: {{toolResult}}' }] },
          {
            when: { user: 'long' },
            reply: [
              { tool: 'Write', input: { file_path: join(cwd, 'long.txt'), content: LONG }, chunk: 4_000 },
            ],
          },
          { when: { user: 'plan' }, reply: [{ tool: 'ExitPlanMode', input: { plan: PLAN }, chunk: 4_000 }] },
          {
            when: { user: 'ask' },
            reply: [
              {
                tool: 'AskUserQuestion',
                input: {
                  questions: [question('Which one?'), question('Which other?'), question('And then?')],
                },
                chunk: 4_000,
              },
            ],
          },
          {
            when: { user: '/make (\\w+)/' },
            reply: [{ tool: 'Bash', input: { command: 'mkdir {{match.1}}' } }],
          },
          { reply: [{ text: 'You said: {{user}}' }] },
        ],
      }),
    }),
  )

  async function ask(prompt: string) {
    const { daemon, at } = shared()
    const mode = prompt === 'plan' ? { permissionMode: 'plan' as const } : {}
    const { session } = await daemon.client.createSession({ body: { cwd: at.cwd, prompt, ...mode } })
    await pendingRequest(daemon.client, session.id)
    return session.id
  }

  const stop = (id: string) => shared().daemon.client.stopSession({ params: { id }, body: {} })

  const SIZES = [
    { width: 1440, height: 900 },
    { width: 1024, height: 768 },
    { width: 768, height: 1024 },
    { width: 390, height: 844 },
  ]

  test('has its buttons in view without scrolling, at every width, in its session and in the inbox', {
    timeout: 120_000,
  }, async () => {
    const { newPage, daemon } = shared()
    const cases: [prompt: string, buttons: string[]][] = [
      ['long', ['Allow', 'Deny']],
      ['plan', ['Approve plan', 'Send back']],
      ['ask', ['Answer', 'Skip']],
    ]
    const page = await newPage()
    await logIn(page, daemon, '/')
    for (const [prompt, buttons] of cases) {
      const id = await ask(prompt)
      for (const path of [`/sessions/${id}`, '/inbox'])
        for (const size of SIZES) {
          await page.setViewportSize(size)
          await page.goto(new URL(path, daemon.url).href)
          for (const name of buttons) {
            const button = page.locator('.request').getByRole('button', { name, exact: true })
            await button.waitFor()
            expect(await isInView(button, size), `${name} of ${prompt} at ${size.width} in ${path}`).toBe(
              true,
            )
          }
        }
      await stop(id)
    }
    await page.close()
  })

  test('on a phone is at the bottom of the screen, and can be folded to read the conversation', async () => {
    const { newPage, daemon } = shared()
    const id = await ask('long')
    const page = await newPage({ viewport: { width: 390, height: 844 } })
    await logIn(page, daemon, `/sessions/${id}`)
    const deny = page.getByRole('button', { name: 'Deny' })
    await deny.waitFor()

    const box = await deny.boundingBox()
    expect(844 - (box?.y ?? 0) - (box?.height ?? 0)).toBeLessThan(60)
    await page.getByRole('button', { name: 'Hide details' }).click()
    await page.locator('.request .diff').waitFor({ state: 'hidden' })
    expect(await deny.isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Write a message' }).click()
    await page.getByLabel('Message', { exact: true }).waitFor()
    await stop(id)
    await page.close()
  })

  test('shows a change once: the row of the call is folded until it is answered', async () => {
    const { newPage, daemon } = shared()
    const id = await ask('long')
    const page = await newPage()
    await logIn(page, daemon, `/sessions/${id}`)
    await page.locator('.request .diff').waitFor()

    expect(await page.locator('.diff').count()).toBe(1)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.locator('.tool-body .diff').waitFor()
    expect(await page.locator('.diff').count()).toBe(1)
    await stop(id)
    await page.close()
  })

  test('leads to the next one after an answer, by keyboard too', async () => {
    const { newPage, daemon } = shared()
    const ids = [await ask('make one'), await ask('make two'), await ask('make three')]
    const page = await newPage()
    await logIn(page, daemon, `/sessions/${ids[0]}`)
    const allow = page.getByRole('button', { name: 'Allow', exact: true })
    await expect.poll(() => allow.isEnabled()).toBe(true)
    await allow.press('Enter')

    await page.getByRole('link', { name: /^Next of 2/ }).waitFor()
    await page.keyboard.press('Enter')

    await expect.poll(() => page.url()).toContain(ids[1])
    await page.getByRole('article', { name: 'Bash: mkdir two' }).waitFor()
    for (const id of ids) await stop(id)
    await page.close()
  })
})

async function isInView(button: Locator, size: { width: number; height: number }): Promise<boolean> {
  const box = await button.boundingBox()
  if (!box) return false
  return box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width && box.y + box.height <= size.height
}
