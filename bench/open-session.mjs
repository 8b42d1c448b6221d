/** How long it takes from asking for a session until its end can be read on the page: of a short log and of a long one. */

import { inTurns, report } from './support/measure.mjs'
import { openBrowser, openPage, UNTIL_SEEN, WEB } from './support/page.mjs'
import { bench } from './support/place.mjs'
import { sessionCreated } from './support/sample-event.mjs'
import { serveJournal } from './support/served-journal.mjs'

const LONG = 50_000
const SHORT = 50
const ROUNDS = 7

await bench(async () => {
  const served = await serveJournal({ webFolder: WEB })
  const { journal, ids, url } = served
  const short = await write(journal, ids, 'A short one', SHORT)
  const long = await write(journal, ids, 'A long one', LONG)
  const browser = await openBrowser()
  const page = await openPage(browser, served)

  const open = (session) => async () => {
    await page.goto(new URL('/', url).href)
    await page.locator(`#row-${session.id}`).waitFor()
    // The code of the view is cached after the first time, as for a user who has opened a session before.
    return page.evaluate(
      `(async () => {
        const start = performance.now()
        document.querySelector('#row-${session.id}').click()
        const isSeen = () => [...document.querySelectorAll('.entry')].at(-1)?.textContent.includes('${session.last}')
        return (${UNTIL_SEEN})(isSeen, start)
      })()`,
    )
  }
  const figures = await inTurns(
    { [`${SHORT} events`]: open(short), [`${LONG.toLocaleString('en')} events`]: open(long) },
    ROUNDS,
  )
  report({
    name: 'A session is opened on the page: from the click until its end is seen',
    figures,
    goals: [{ row: `${LONG.toLocaleString('en')} events`, absolute: 300 }],
  })
})

/** Turns as they are: a message, some thinking, calls with their results, an answer. */
async function write(journal, ids, title, count) {
  const id = ids.next('ses')
  const created = sessionCreated()
  await journal.append(id, [{ ...created, data: { ...created.data, title } }])
  let written = 1
  for (let turn = 0; written < count; turn += 1) {
    const drafts = turnOf(ids, turn)
    await journal.append(id, drafts)
    written += drafts.length
  }
  const last = 'The very last word.'
  await journal.append(id, [{ type: 'text.ended', data: { messageId: 'last', index: 0, text: last } }])
  return { id, last }
}

function turnOf(ids, turn) {
  const turnId = ids.next('trn')
  const messageId = ids.next('msg')
  const from = { who: 'kim', via: 'dashboard' }
  const calls = Array.from({ length: 10 }, (_, place) => {
    const toolUseId = `toolu_${turn}_${place}`
    const input = { command: `npm test -- --part ${place}`, description: 'Run some of the tests' }
    const result = { stdout: 'ok 1 - adds up\nok 2 - takes away\n'.repeat(8), stderr: '' }
    return [
      { type: 'tool.requested', data: { toolUseId, name: 'Bash', input } },
      { type: 'tool.started', data: { toolUseId, by: 'policy: read-only' } },
      {
        type: 'tool.ended',
        data: { toolUseId, name: 'Bash', outcome: 'completed', result, durationMs: 120 },
      },
    ]
  })
  return [
    { type: 'message.queued', data: { messageId, text: `Do part ${turn}`, whenBusy: 'inject', from } },
    { type: 'turn.started', data: { turnId, messageIds: [messageId], origin: { kind: 'person' } } },
    { type: 'message.delivered', data: { messageId, turnId } },
    {
      type: 'thinking.ended',
      data: { messageId: `t${turn}`, index: 0, text: 'First I look around. '.repeat(20) },
    },
    ...calls.flat(),
    {
      type: 'text.ended',
      data: {
        messageId: `a${turn}`,
        index: 0,
        text: `## Part ${turn}\n\n- it **works**\n- all tests pass\n\n\`\`\`js\nconst sum = 1 + 1\n\`\`\`\n`,
      },
    },
    {
      type: 'turn.ended',
      data: {
        turnId,
        outcome: 'completed',
        stopReason: 'finished',
        durationMs: 4_000,
        turns: 3,
        usage: null,
        modelUsage: null,
        costUsd: 0.02,
        text: null,
        errors: [],
      },
    },
  ]
}
