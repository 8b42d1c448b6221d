/** Much at once: long logs, many sessions, twenty agents that write. The work is measured, not the clock. */

import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Journal } from '../../src/journal/journal.js'
import type { EventDraft } from '../../src/protocol/event/event.js'
import { chromiumPath, openBrowser } from '../support/browser.js'
import { ids, sessionCreated, turnEnded, turnStarted } from '../support/build.js'
import { createServedRuntime } from '../support/served-runtime.js'
import { watchStolenTime } from '../support/stolen-time.js'

/** `npm run soak:dashboard`: ten minutes instead of ten seconds, with figures. */
const IS_FULL = process.env['SOAK'] === 'full'
const WEB = fileURLToPath(new URL('../../dist/web/', import.meta.url))

async function setup() {
  const runtime = await createServedRuntime({ webFolder: WEB })
  const browser = await openBrowser()
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  const enter = async (path: string) => {
    const { code } = await runtime.access.createLoginCode()
    await page.goto(`${runtime.url}/#code=${code}`)
    await page.locator('.rail').waitFor()
    await page.goto(`${runtime.url}${path}`)
  }
  const begin = async (title: string) => {
    const id = ids.next('ses')
    await runtime.journal.append(id, [sessionCreated({ title })])
    return id
  }
  return { ...runtime, page, enter, begin }
}

const TOO_LONG_MS = 100
const LONG_MS = 20

interface Work {
  /** In milliseconds, without what other machines took from this one meanwhile. */
  longest: number
  total: number
  tasks: number
  tooLong: number
  /** With it, as the trace counts it. */
  longestTraced: number
  stolen: number
}

/** In microseconds; `tdur` is the time of the processor. */
interface TraceEvent {
  name: string
  ts: number
  dur?: number
  tdur?: number
  tid: number
  pid: number
  args?: { name?: string }
}

/** Work of the page's main thread during an action. */
async function workOf(page: Page, act: () => Promise<void>): Promise<Work> {
  const cdp = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as typeof events)))
  const ended = new Promise((resolve) => cdp.once('Tracing.tracingComplete', resolve))
  await cdp.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', '__metadata'] },
  })
  const stolen = watchStolenTime()
  await act()
  stolen.stop()
  await cdp.send('Tracing.end')
  await ended
  const main = new Set(
    events.filter(({ args }) => args?.name === 'CrRendererMain').map(({ pid, tid }) => `${pid}/${tid}`),
  )
  const traced = events.filter(
    ({ name, tdur, pid, tid }) => name.endsWith('RunTask') && tdur !== undefined && main.has(`${pid}/${tid}`),
  )
  expect(traced.length).toBeGreaterThan(0)
  const tasks = traced.map(({ ts, dur = 0, tdur = 0 }) => {
    // Looking it up for each of a hundred thousand short ones would take a minute.
    const taken = tdur / 1_000 > LONG_MS ? stolen.within(ts, ts + dur) : 0
    return Math.max(0, tdur / 1_000 - taken)
  })
  return {
    longest: tasks.reduce((most, task) => Math.max(most, task), 0),
    total: tasks.reduce((sum, task) => sum + task, 0),
    tasks: tasks.length,
    tooLong: tasks.filter((task) => task > TOO_LONG_MS).length,
    longestTraced: traced.reduce((most, { tdur = 0 }) => Math.max(most, tdur / 1_000), 0),
    stolen: stolen.total(),
  }
}

const MESSAGE_CHARACTERS = 6_000

/** Writes one fragment at a time; every ten seconds a message is complete, and the next one begins. */
function writer(sessionId: string, journal: Journal): () => void {
  let message = 0
  let text = ''
  return () => {
    const messageId = `m${message}`
    const piece = text.length % 400 < 8 ? '\n\n**word**' : ' and so on'
    journal.publish(sessionId, {
      type: 'text.delta',
      data: { messageId, index: 0, offset: text.length, text: piece },
    })
    text += piece
    if (text.length < MESSAGE_CHARACTERS) return
    void journal.append(sessionId, [{ type: 'text.ended', data: { messageId, index: 0, text } }])
    message += 1
    text = ''
  }
}

describe.skipIf(chromiumPath === null)('much at once', () => {
  const rounds = IS_FULL ? 10 : 1
  const roundSeconds = IS_FULL ? 60 : 8

  test('twenty sessions that write sixty fragments a second each: no task over 100 ms, memory stays', {
    timeout: (rounds * roundSeconds * 1.5 + 60) * 1_000,
  }, async () => {
    const { page, enter, begin, journal } = await setup()
    const sessions = await Promise.all(Array.from({ length: 20 }, (_, place) => begin(`Writer ${place}`)))
    for (const id of sessions) await journal.append(id, [turnStarted(ids.next('trn'))])
    await enter(`/sessions/${sessions[0]}`)
    await page.locator('.heading').waitFor()
    const writers = sessions.map((id) => writer(id, journal))
    const write = (seconds: number) =>
      new Promise<void>((resolve) => {
        const start = performance.now()
        let ticks = 0
        const timer = setInterval(() => {
          // A timer that comes late has more to do.
          const due = Math.min(seconds * 60, Math.floor((performance.now() - start) * 0.06))
          for (; ticks < due; ticks += 1) for (const next of writers) next()
          if (ticks < seconds * 60) return
          clearInterval(timer)
          resolve()
        }, 1_000 / 60)
      })
    const heap = async () => {
      await page.requestGC()
      return Number(await page.evaluate('performance.memory.usedJSHeapSize')) / 1024 / 1024
    }
    await write(IS_FULL ? 20 : 2)
    const before = await heap()

    const seen: (Work & { heap: number })[] = []
    for (let round = 0; round < rounds; round += 1) {
      const work = await workOf(page, () => write(roundSeconds))
      const now = { ...work, heap: await heap() }
      seen.push(now)
      if (IS_FULL)
        process.stdout.write(
          `minute ${round + 1}: longest task ${now.longest.toFixed(1)} ms, ${now.tooLong} of ${now.tasks} over ${TOO_LONG_MS} ms, heap ${now.heap.toFixed(1)} MB (${before.toFixed(1)} MB at the start); others took ${(now.stolen / 1_000).toFixed(1)} s from this machine, with which the longest was ${now.longestTraced.toFixed(1)} ms\n`,
        )
    }

    await expect
      .poll(() =>
        page
          .locator('.content.text')
          .last()
          .innerText()
          .then((text) => text.length),
      )
      .toBeGreaterThan(100)
    expect(Math.max(...seen.map(({ longest }) => longest))).toBeLessThan(TOO_LONG_MS)
    // The conversation is kept, and is small; everything else must not grow.
    expect((seen.at(-1)?.heap ?? 0) - before).toBeLessThan(IS_FULL ? 30 : 10)
  })

  test('a log of 50,000 events opens at its end, draws little, and stays where it is while older events come', async () => {
    const { page, enter, begin, journal } = await setup()
    const id = await begin('A long day')
    const turnId = ids.next('trn')
    await journal.append(id, [turnStarted(turnId)])
    for (let start = 0; start < 50_000; start += 1_000) {
      const texts = Array.from({ length: 1_000 }, (_, place): EventDraft => {
        const text = `answer ${start + place}`
        return { type: 'text.ended', data: { messageId: text, index: 0, text } }
      })
      await journal.append(id, texts)
    }
    await journal.append(id, [turnEnded(turnId)])

    await enter('/')
    const row = page.getByRole('link', { name: /A long day/ })
    await row.waitFor()
    const { total } = await workOf(page, async () => {
      await row.click()
      await page.getByText('answer 49999', { exact: true }).waitFor()
    })
    expect(total).toBeLessThan(1_000)
    expect(Number(await page.evaluate('document.querySelectorAll(".entry").length'))).toBeLessThan(120)

    // Near the start older events are loaded; the visible part must not move when they are prepended.
    const anchor = (await page.evaluate(`(async () => {
      const scroller = document.querySelector('.transcript')
      for (scroller.scrollTop = 3000; scroller.scrollTop > 700; scroller.scrollTop -= 300)
        await new Promise((resolve) => setTimeout(resolve, 50))
      const rows = [...document.querySelectorAll('.entry')]
      const row = rows.find((row) => row.getBoundingClientRect().top > scroller.getBoundingClientRect().top + 100)
      return { text: row.textContent, y: row.getBoundingClientRect().top }
    })()`)) as { text: string; y: number }
    const height = () => page.evaluate('document.querySelector(".transcript").scrollHeight')
    await expect.poll(height, { timeout: 10_000 }).toBeGreaterThan(40_000)
    const after = await page.locator('.entry', { hasText: anchor.text }).first().boundingBox()
    expect(Math.abs((after?.y ?? 0) - anchor.y)).toBeLessThan(3)
  })

  test('thousands of sessions: a list that draws what is seen, and is walked by keys', async () => {
    const { page, enter, journal } = await setup()
    for (let place = 0; place < 3_000; place += 1)
      await journal.append(ids.next('ses'), [sessionCreated({ title: `Session number ${place}` })])

    await enter('/')
    await page.getByText('Session number 2999', { exact: true }).waitFor()
    expect(Number(await page.evaluate('document.querySelectorAll(".session-row").length'))).toBeLessThan(60)
    await page.getByRole('searchbox').fill('number 17')
    await page.getByText('Session number 1799', { exact: true }).waitFor()
    await page.getByRole('searchbox').blur()
    for (let place = 0; place < 30; place += 1) await page.keyboard.press('j')
    await expect
      .poll(() => page.evaluate('document.activeElement.textContent'))
      .toContain('Session number 1770')
  })
})
