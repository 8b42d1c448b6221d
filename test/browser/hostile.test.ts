/** What agents, tools and people say is text, whatever it looks like. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Client } from '../../src/client/client.js'
import { chromiumPath } from '../support/browser.js'
import { pendingRequest, sessionWhen } from '../support/daemon-process.js'
import { logIn, openDashboard } from '../support/dashboard.js'

const ESC = '\u001b'

/** Each calls `pwned` if it is ever run. */
const SEEDS = [
  '<script>pwned()</script>',
  '<img src=x onerror=pwned()>',
  '<svg onload=pwned()>',
  '<iframe srcdoc="<script>parent.pwned()</script>"></iframe>',
  '<a href="javascript:pwned()">x</a>',
  '[x](javascript:pwned())',
  '[x](JaVaScRiPt:pwned())',
  '[x](&#106;avascript:pwned())',
  '![x](javascript:pwned())',
  '![x](https://example.invalid/track.png)',
  '[x](data:text/html,<script>pwned()</script>)',
  '<style>@import "https://example.invalid/a.css";</style>',
  '<link rel=stylesheet href=//example.invalid/a.css>',
  '<meta http-equiv=refresh content="0;url=javascript:pwned()">',
  '<form action=javascript:pwned()><button>x</button></form>',
  '<details open ontoggle=pwned()>',
  '<math><mtext></mtext><mglyph><style><img src=x onerror=pwned()>',
  '```html\n<script>pwned()</script>\n```',
  '`<img src=x onerror=pwned()>`',
  '| a | <img src=x onerror=pwned()> |\n|---|---|\n| 1 | <script>pwned()</script> |',
  '> <script>pwned()</script>',
  '# <img src=x onerror=pwned()>',
  '- [ ] <svg onload=pwned()>',
  `${ESC}]8;;javascript:pwned()\u0007click${ESC}]8;;\u0007`,
  `${ESC}[31m<img src=x onerror=pwned()>${ESC}[0m`,
  `${ESC}[2J${ESC}[H${ESC}c`,
  '\u202egnp.exe\u202c <script>pwned()</script>',
  '\u2066\u2067\u2068 mixed \u2069',
  '\u0000\u0001\u0008\u007f\u009b',
  '{{constructor.constructor("pwned()")()}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what must not be run.
  '${pwned()}',
  '"><script>pwned()</script>',
  "'-pwned()-'",
  ']]><script>pwned()</script>',
  '<!--<script>-->pwned()</script>',
  '__proto__',
  'constructor',
  'a'.repeat(20_000),
  '<b>'.repeat(2_000),
  '['.repeat(3_000),
  '*'.repeat(5_000),
]
const WRAPS: ((text: string) => string)[] = [
  (text) => text,
  (text) => `# ${text}`,
  (text) => `1. ${text}\n2. **${text}**`,
  (text) => `<div>\n\n${text}\n\n</div>`,
  (text) => `[a](<${text.slice(0, 200)}>)`,
]
const HOSTILE = WRAPS.flatMap((wrap) => SEEDS.map(wrap)).slice(0, 200)

async function watch(page: Page) {
  const seen: string[] = []
  await page.exposeFunction('pwned', () => seen.push('a script ran'))
  await page.addInitScript(
    `document.addEventListener('securitypolicyviolation', (event) => window.violated(event.violatedDirective + ' ' + event.blockedURI))`,
  )
  await page.exposeFunction('violated', (what: string) => seen.push(what))
  page.on('request', (request) => {
    if (!request.url().startsWith('http://127.0.0.1') && !request.url().startsWith('data:'))
      seen.push(request.url())
  })
  page.on('dialog', (dialog) => {
    seen.push(dialog.message())
    void dialog.dismiss()
  })
  return seen
}

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
        await page.locator('.stop').first().waitFor()
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
