/** Memory of the daemon for a live session and for an idle subscriber, without the CLI's. */

import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { report } from './support/measure.mjs'
import { bench, makePlace, startDaemon, startModel, watch } from './support/place.mjs'
import { residentMbOf } from './support/process-figures.mjs'

const SESSIONS = 30
const READERS = 200
const STAND_IN = fileURLToPath(new URL('../test/support/stand-in-claude.mjs', import.meta.url))

await bench(async () => {
  const place = makePlace()
  const { client, pid } = await startDaemon(place, await startModel(), {
    WARM: 0,
    MAX_LIVE: SESSIONS + 5,
    CLAUDE_PATH: STAND_IN,
  })
  const begin = async () => {
    const { session } = await client.createSession({ body: { cwd: place.cwd, prompt: 'say hello' } })
    const events = watch(client, { sessionId: session.id, after: 0 })
    await events.next(({ type }) => type === 'turn.ended')
  }
  // The first ones pay for code that is loaded and compiled once.
  for (let index = 0; index < 5; index += 1) await begin()
  const before = await settled(pid)
  for (let index = 0; index < SESSIONS; index += 1) await begin()
  const after = await settled(pid)
  for (let index = 0; index < READERS; index += 1) watch(client, {})
  const read = await settled(pid)
  report({
    name: `memory of the daemon, ${SESSIONS} live sessions and ${READERS} readers`,
    unit: 'MB',
    figures: {
      'a live session, with a reader': [(after - before) / SESSIONS],
      'an idle reader': [(read - after) / READERS],
    },
    goals: [
      { row: 'a live session, with a reader', absolute: 5 },
      { row: 'an idle reader', absolute: 0.03 },
    ],
    notes: [
      `resident: ${before.toFixed(0)} MB before, ${after.toFixed(0)} MB with sessions, ${read.toFixed(0)} MB with readers`,
    ],
  })
})

/** Resident memory in MB, the minimum over a few seconds: garbage that is not collected yet does not count. */
async function settled(pid) {
  const seen = []
  for (let index = 0; index < 10; index += 1) {
    await wait(500)
    seen.push(residentMbOf(pid))
  }
  return Math.min(...seen)
}
