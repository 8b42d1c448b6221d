/** Time from opening the dashboard until it reacts to the user: a click on a session shows it. */

import { inTurns, report } from './support/measure.mjs'
import { openBrowser, openPage, UNTIL_SEEN, WEB } from './support/page.mjs'
import { bench } from './support/place.mjs'
import { sessionCreated } from './support/sample-event.mjs'
import { serveJournal } from './support/served-journal.mjs'

const SESSIONS = 50
const ROUNDS = 7

const CLICK_WHEN_THERE = `(async () => {
  const untilSeen = ${UNTIL_SEEN}
  await untilSeen(() => document.querySelector('.session-row'), 0)
  document.querySelector('.session-row').click()
  return untilSeen(() => document.querySelector('.heading'), 0)
})()`

await bench(async () => {
  const served = await serveJournal({ webFolder: WEB })
  const { journal, ids, url } = served
  for (let place = 0; place < SESSIONS; place += 1) {
    const created = sessionCreated()
    await journal.append(ids.next('ses'), [
      { ...created, data: { ...created.data, title: `Agent ${place}` } },
    ])
  }
  const browser = await openBrowser()

  const visit = async (page) => {
    await page.goto(new URL('/', url).href, { waitUntil: 'commit' })
    return page.evaluate(CLICK_WHEN_THERE)
  }
  const first = async () => {
    const page = await openPage(browser, served)
    const figure = await visit(page)
    await page.context().close()
    return figure
  }
  const known = await openPage(browser, served)
  const bare = async () => {
    const page = await (await browser.newContext()).newPage()
    await page.goto(new URL('/icon.svg', url).href)
    const figure = await page.evaluate('performance.now()')
    await page.context().close()
    return figure
  }
  const figures = await inTurns(
    { 'an icon from the same server': bare, 'first visit': first, again: () => visit(known) },
    ROUNDS,
  )
  report({
    name: `The dashboard with ${SESSIONS} sessions: from opening it until a click on one shows it`,
    figures,
    goals: [
      { row: 'first visit', absolute: 1_000 },
      { row: 'again', absolute: 1_000 },
    ],
  })
})
