/**
 * The first visit on a slow phone: from opening the dashboard until its list of sessions can be used, with the network and the
 * processor throttled in Chromium, with and without the compressed files of the build. BEFORE names the files of another build
 * (its dist/web) to compare with instead.
 */

import { cpSync } from 'node:fs'
import { inTurns, report } from './support/measure.mjs'
import { openBrowser, openPage, UNTIL_SEEN, WEB } from './support/page.mjs'
import { bench, temporaryFolder } from './support/place.mjs'
import { sessionCreated } from './support/sample-event.mjs'
import { serveJournal } from './support/served-journal.mjs'

const SESSIONS = 20
const ROUNDS = 5
const BYTES_PER_SECOND = 1_600_000 / 8
const LATENCY_MS = 100
/** A phone of the middle class is about four times slower than a laptop. */
const SLOWER = 4

const USABLE = `(async () => {
  const untilSeen = ${UNTIL_SEEN}
  await untilSeen(() => document.querySelector('.session-row'), 0)
  return performance.now()
})()`

await bench(async () => {
  const plain = process.env.BEFORE ?? temporaryFolder()
  const name = process.env.BEFORE === undefined ? 'not compressed' : 'the other build'
  if (process.env.BEFORE === undefined)
    cpSync(WEB, plain, { recursive: true, filter: (file) => !/\.(?:br|gz)$/.test(file) })
  const browser = await openBrowser()
  const visitTo = async (webFolder, slower) => {
    const served = await serveJournal({ webFolder })
    for (let place = 0; place < SESSIONS; place += 1) {
      const created = sessionCreated()
      await served.journal.append(served.ids.next('ses'), [
        { ...created, data: { ...created.data, title: `Agent ${place}` } },
      ])
    }
    return async () => {
      const page = await openPage(browser, served)
      const devtools = await page.context().newCDPSession(page)
      await devtools.send('Network.enable')
      await devtools.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: LATENCY_MS,
        downloadThroughput: BYTES_PER_SECOND,
        uploadThroughput: BYTES_PER_SECOND,
      })
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower })
      await page.goto(new URL('/', served.url).href, { waitUntil: 'commit' })
      const figure = await page.evaluate(USABLE)
      await page.context().close()
      return figure
    }
  }
  const figures = await inTurns(
    {
      [name]: await visitTo(plain, 1),
      compressed: await visitTo(WEB, 1),
      [`${name}, slow processor`]: await visitTo(plain, SLOWER),
      'compressed, slow processor': await visitTo(WEB, SLOWER),
    },
    ROUNDS,
  )
  report({
    name: `The list of ${SESSIONS} sessions on a first visit at 1.6 Mbit/s and 100 ms`,
    figures,
    goals: [
      { row: 'compressed', most: 0.5 },
      { row: 'compressed, slow processor', most: 0.5, of: `${name}, slow processor` },
    ],
  })
})
