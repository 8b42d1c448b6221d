/** The conversation is made to be read: runs are folded, tables scroll, errors are words, long output opens whole. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../support/browser.js'
import { pendingRequest, sessionWhen } from '../support/daemon-process.js'
import { logIn, openDashboard } from '../support/dashboard.js'
import { share } from '../support/when-done.js'

const LINES = Array.from({ length: 300 }, (_, place) => `line number ${place + 1}`)
const CODE = "/* one\ntwo */\nexport const name = 'first'\n"
const HEADINGS = ['Component', 'Lines', 'Responsibility', 'Dependencies', 'Measurements', 'Conclusion']
const TABLE = [
  `| ${HEADINGS.join(' | ')} |`,
  `|${HEADINGS.map(() => '---').join('|')}|`,
  `| ${HEADINGS.map((word) => `${word.toLowerCase()} 1,204`).join(' | ')} |`,
].join('\n')

describe.skipIf(chromiumPath === null)('the conversation', () => {
  const shared = share(async () => {
    const dashboard = await openDashboard({
      script: (cwd) => ({
        rules: [
          { when: { toolResult: '*' }, reply: [{ text: `All read.\n\n${TABLE}` }] },
          {
            when: { user: 'read' },
            reply: [
              ...['a', 'b', 'c', 'd'].map((name) => ({
                tool: 'Read',
                input: { file_path: join(cwd, `${name}.txt`) },
              })),
              { tool: 'Bash', input: { command: 'cat long.txt' } },
              { tool: 'Bash', input: { command: 'cat a.txt' } },
              { tool: 'Read', input: { file_path: join(cwd, 'missing.txt') } },
            ],
          },
          {
            when: { user: 'code' },
            reply: [
              { text: `Like this:\n\n\`\`\`ts\n${CODE}\n\`\`\`` },
              { tool: 'Read', input: { file_path: join(cwd, 'sum.ts') } },
              {
                tool: 'Edit',
                input: { file_path: join(cwd, 'sum.ts'), old_string: "'first'", new_string: "'second'" },
              },
            ],
          },
          { when: { user: 'fail' }, reply: [{ error: 400, message: 'prompt is too long' }] },
          {
            when: { user: 'ask' },
            reply: [
              {
                tool: 'AskUserQuestion',
                input: {
                  questions: [
                    {
                      question: 'Which one?',
                      header: 'One',
                      multiSelect: false,
                      options: [
                        { label: 'Left', description: 'this way' },
                        { label: 'Right', description: 'that way' },
                      ],
                    },
                  ],
                },
              },
            ],
          },
          { reply: [{ text: 'You said: {{user}}' }] },
        ],
      }),
    })
    const { at } = dashboard
    for (const name of ['a', 'b', 'c', 'd']) await writeFile(join(at.cwd, `${name}.txt`), `text of ${name}\n`)
    await writeFile(join(at.cwd, 'long.txt'), LINES.join('\n'))
    await writeFile(join(at.cwd, 'sum.ts'), CODE)
    return dashboard
  })

  async function open(prompt: string) {
    const { newPage, daemon, at } = shared()
    const { session } = await daemon.client.createSession({ body: { cwd: at.cwd, prompt } })
    await sessionWhen(daemon.client, session.id, ({ state, turns }) => state === 'idle' && turns === 1)
    const page = await newPage()
    await logIn(page, daemon, `/sessions/${session.id}`)
    return page
  }

  test('folds a run of calls, and shows the failed one once and without tags', async () => {
    const page = await open('read')
    const run = page.getByRole('button', { name: /^Read 4 files · Ran 2 commands/ })
    await run.waitFor()

    await page.locator('.tool.failed').getByText('does not exist').waitFor()
    expect(await page.locator('.tool').count()).toBe(1)
    expect(await page.locator('main').innerText()).not.toContain('tool_use_error')
    await run.click()
    expect(await page.locator('.tool').count()).toBe(7)

    await page.getByRole('button', { name: /Bash cat long.txt/ }).click()
    await page.getByRole('button', { name: 'Open full output' }).click()
    const whole = page.getByRole('dialog', { name: 'Output' })
    await whole.getByText('line number 1\n').waitFor()
    expect((await whole.locator('pre').allTextContents()).join('\n').split('\n')).toEqual(LINES)
    await page.keyboard.press('Escape')
    await page.close()
  })

  test('has tables that scroll and keep their words, and times on answers', async () => {
    const page = await open('read')
    await page.setViewportSize({ width: 390, height: 844 })
    const table = page.locator('.markdown table')
    await table.waitFor()

    const { lines, scrolls } = (await page.evaluate(`(() => {
      const cells = [...document.querySelectorAll('.markdown th')]
      const range = document.createRange()
      const frame = document.querySelector('.markdown .scroll')
      return {
        lines: cells.map((cell) => (range.selectNodeContents(cell), range.getClientRects().length)),
        scrolls: frame.scrollWidth > frame.clientWidth,
      }
    })()`)) as { lines: number[]; scrolls: boolean }
    expect(lines).toEqual(HEADINGS.map(() => 1))
    expect(scrolls).toBe(true)
    expect(await page.locator('.content.text time').last().getAttribute('datetime')).toMatch(/^20\d\d-/)
    await page.close()
  })

  test('colours code in answers, files and changes, and marks the words that differ', async () => {
    const { newPage, daemon, at } = shared()
    const { session } = await daemon.client.createSession({
      body: { cwd: at.cwd, prompt: 'code', permissionMode: 'acceptEdits' },
    })
    await sessionWhen(daemon.client, session.id, ({ state, turns }) => state === 'idle' && turns === 1)
    const page = await newPage()
    await logIn(page, daemon, `/sessions/${session.id}`)
    await page.locator('.markdown .code-keyword', { hasText: 'const' }).waitFor()
    expect(await page.locator('.markdown .code-comment').allInnerTexts()).toEqual(['/* one', 'two */'])

    const change = page.locator('.change')
    await change.locator('.removed mark .code-string', { hasText: /^first$/ }).waitFor()
    await change.locator('.added mark .code-string', { hasText: /^second$/ }).waitFor()
    // The comment begins above the lines that changed.
    expect(await change.locator('.same .code-comment').allInnerTexts()).toEqual(['/* one', 'two */'])
    expect(await change.locator('.added .line').innerText()).toBe("export const name = 'second'")

    await page.getByRole('button', { name: /^Read sum.ts/ }).click()
    await page.locator('.tool', { hasText: 'Read' }).locator('.code-keyword', { hasText: 'export' }).waitFor()

    // The words are in several tokens.
    await page.keyboard.press('Control+f')
    await page.locator('.find-bar input').fill("name = 'first'")
    const marks = '[...CSS.highlights.get("found") ?? []].map(String)'
    await expect.poll(() => page.evaluate(marks)).toContain("name = 'first'")
    await page.close()
  })

  test('shows the error that failed a turn once', async () => {
    const page = await open('fail')
    await page.locator('.notice.error').waitFor()

    expect(await page.locator('.notice.error').count()).toBe(1)
    expect(await page.locator('.notice.error').innerText()).toMatch(/too long/i)
    await page.close()
  })

  test('is wide on request, also after a reload', async () => {
    const page = await open('read')
    await page.setViewportSize({ width: 1800, height: 900 })
    const width = async () => (await page.locator('.entry').first().boundingBox())?.width ?? 0
    const before = await width()

    await page.getByRole('button', { name: 'Wide mode' }).click()
    await expect.poll(width).toBeGreaterThan(before + 200)
    await page.reload()
    await expect.poll(width).toBeGreaterThan(before + 200)
    expect(await page.getByRole('button', { name: 'Wide mode' }).getAttribute('aria-pressed')).toBe('true')
    await page.close()
  })

  test('an unknown address and an unknown session say so, with a way on', async () => {
    const { newPage, daemon } = shared()
    const page = await newPage()
    await logIn(page, daemon, '/nowhere/at/all')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.getByText('There is no page at /nowhere/at/all.').waitFor()

    await page.goto(new URL('/sessions/ses_00000000000000000000000000', daemon.url).href)
    await page.getByRole('heading', { name: 'Session not found.' }).waitFor()
    await page.getByRole('link', { name: 'Show all sessions' }).click()

    await page.getByRole('heading', { name: 'Start a session' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/')
    await page.close()
  })

  test('a viewer reads a question and gets no controls for it', async () => {
    const { newPage, daemon, at } = shared()
    const { session } = await daemon.client.createSession({ body: { cwd: at.cwd, prompt: 'ask' } })
    await pendingRequest(daemon.client, session.id)
    const { url } = await daemon.client.createLoginCode({ body: { role: 'viewer' } })
    const page = await newPage()
    await page.goto(url)
    await page.locator('.rail').waitFor()
    await page.goto(new URL(`/sessions/${session.id}`, daemon.url).href)

    const card = page.locator('.request')
    await card.getByText('Which one?').waitFor()
    await card.getByText('Left').waitFor()
    await card.getByText('Viewers cannot answer requests.').waitFor()
    expect(await card.locator('input, button, select').count()).toBe(0)
    expect(await page.locator('.heading select').count()).toBe(0)
    expect(await page.getByRole('navigation', { name: 'Views' }).getByText('New').count()).toBe(0)
    await daemon.client.stopSession({ params: { id: session.id }, body: {} })
    await page.close()
  })
})
