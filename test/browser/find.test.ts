/** Finding in a long conversation: rows that are not drawn, not loaded, or folded. */

import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { EventDraft } from '../../src/protocol/event/event.js'
import { chromiumPath, openBrowser } from '../support/browser.js'
import { ids, sessionCreated, turnEnded, turnStarted } from '../support/build.js'
import { createServedRuntime } from '../support/served-runtime.js'

const WEB = fileURLToPath(new URL('../../dist/web/', import.meta.url))

const text = (words: string): EventDraft => ({
  type: 'text.ended',
  data: { messageId: words, index: 0, text: words },
})

const prompt = (messageId: string, words: string): EventDraft[] => [
  {
    type: 'message.queued',
    data: { messageId, text: words, whenBusy: 'inject', from: { who: 'kim', via: 'dashboard' } },
  },
  { type: 'message.delivered', data: { messageId } },
]

const read = (toolUseId: string, result: string): EventDraft[] => [
  { type: 'tool.requested', data: { toolUseId, name: 'Read', input: { file_path: '/w/a.txt' } } },
  { type: 'tool.ended', data: { toolUseId, name: 'Read', outcome: 'completed', result, durationMs: 5 } },
]

async function setup() {
  const { journal, access, url } = await createServedRuntime({ webFolder: WEB })
  const id = ids.next('ses')
  const turnId = ids.next('trn')
  await journal.append(id, [sessionCreated({ title: 'A long day' }), turnStarted(turnId)])
  await journal.append(id, [...prompt(ids.next('msg'), 'the first prompt'), text('an old needle')])
  for (let start = 0; start < 3_000; start += 1_000)
    await journal.append(
      id,
      Array.from({ length: 1_000 }, (_, place) => text(`answer ${start + place}`)),
    )
  await journal.append(id, [...prompt(ids.next('msg'), 'the second prompt')])
  await journal.append(
    id,
    ['one', 'two', 'three'].flatMap((name) => read(`tool ${name}`, `result ${name}`)),
  )
  await journal.append(id, read('tool four', 'a folded needle'))
  await journal.append(
    id,
    Array.from({ length: 100 }, (_, place) => text(`remark ${place}`)),
  )
  await journal.append(id, [text('the last answer'), turnEnded(turnId)])

  const page = await (await openBrowser()).newPage({ viewport: { width: 1280, height: 800 } })
  const { code } = await access.createLoginCode()
  await page.goto(`${url}/#code=${code}`)
  await page.locator('.rail').waitFor()
  await page.goto(`${url}/sessions/${id}`)
  await page.getByText('the last answer', { exact: true }).waitFor()
  return page
}

describe.skipIf(chromiumPath === null)('finding in a session', () => {
  test('reaches folded rows and rows that are not loaded, with the keyboard alone', async () => {
    const page = await setup()
    await page.keyboard.press('Control+f')
    const field = page.getByLabel('Find in this session', { exact: true }).and(page.locator('input'))
    await field.fill('NEEDLE')

    const status = page.locator('.find-bar').getByRole('status')
    await expect.poll(() => status.innerText()).toBe('2 of 2')
    await page.getByText('a folded needle').waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => status.innerText()).toBe('1 of 2')
    await page.getByText('an old needle', { exact: true }).waitFor()
    await expect.poll(() => page.evaluate('CSS.highlights.get("found")?.size ?? 0')).toBeGreaterThan(0)
    expect(Number(await page.evaluate('document.querySelectorAll(".entry").length'))).toBeLessThan(120)

    await page.keyboard.press('Escape')
    await page.locator('.find-bar').waitFor({ state: 'detached' })
    expect(await page.evaluate('CSS.highlights.size')).toBe(0)
  })

  test('jumps between prompts, also to one that is not loaded yet', async () => {
    const page = await setup()
    await page.getByRole('button', { name: 'Previous prompt' }).click()
    await expect.poll(() => isAtTop('the second prompt')).toBe(true)

    await page.keyboard.press('p')
    await expect.poll(() => isAtTop('the first prompt')).toBe(true)
    await page.keyboard.press('P')
    await expect.poll(() => isAtTop('the second prompt')).toBe(true)

    async function isAtTop(words: string): Promise<boolean> {
      const scroller = await page.locator('.transcript').boundingBox()
      const row = page.locator('.entry', { hasText: words })
      if (!scroller || (await row.count()) === 0) return false
      const box = await row.first().boundingBox()
      return box !== null && box.y >= scroller.y - 4 && box.y < scroller.y + 80
    }
  })
})
